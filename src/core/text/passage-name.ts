/**
 * Names a passage the same on every surface: by its file and the section it stands in, "0560-integer-overflow ›
 * Alternatives".
 */

/** As much of a passage as its name is made from. */
export interface NameablePassage {
  readonly documentId: string;
  /** Of its document. */
  readonly title: string;
  /** `A › B`, or its page. */
  readonly section?: string | undefined;
  /** Of its file; where it does not end like the id of the document, that is a record, or of another system. */
  readonly path: string;
}

const SEPARATOR = ' › ';
const CUT = '…';
const MAX_PART = 60;
/** Names that files have because of what they are to a program, and not because of what stands in them. */
const INDEX = /^(?:_?index|default)$/i;
/** Folders that many projects have, and that say nothing of what lies in them. */
const ANY_FOLDER = /^(?:content|docs?|documentation|html|pages|public|site|src|www|[a-z]{2}(?:-[a-z]{2})?)$/i;
const README = /^readme$/i;
/** Numbers and checksums. */
const WITHOUT_MEANING = /^(?:\d+|(?=.*\d)[\da-f]{8,}(?:-[\da-f]{4,}){0,6})$/i;
const EXTENSION = /(?<=.)\.[a-z\d]{1,10}$/i;

/**
 * The name of a passage. Of more than two headings above it the first and the last are named; long ones are cut.
 */
export function passageName(passage: NameablePassage): string {
  const titles = passage.section?.split(SEPARATOR) ?? [];
  const shown = titles.length > 2 ? [titles[0]!, CUT, titles.at(-1)!] : titles;
  return [documentName(passage), ...shown].map(shortened).join(SEPARATOR);
}

/** The names of passages that are shown together: where documents share one, folders before it tell them apart. */
export function passageNames(passages: readonly NameablePassage[]): string[] {
  const names = passages.map(passageName);
  return passages.map((passage, place) => {
    const name = names[place]!;
    const namesakes = passages.filter(
      ({ documentId }, at) => names[at] === name && documentId !== passage.documentId,
    );
    return `${tellingFolders(passage, namesakes)}${name}`;
  });
}

/** As few of the folders around a file as none of the others lies in, with a slash behind them; empty without others. */
function tellingFolders(passage: NameablePassage, others: readonly NameablePassage[]): string {
  if (others.length === 0 || !isFile(passage.documentId, passage.path)) return '';
  const folders = foldersOf(passage.documentId);
  const place = folders.findLastIndex((_, from) => {
    const end = `/${folders.slice(from).join('/')}`;
    return others.every(({ documentId }) => !`/${foldersOf(documentId).join('/')}`.endsWith(end));
  });
  if (place < 0) return '';
  const last = folders.at(-1)!;
  const name = documentName(passage);
  const isInName = name === last || name.startsWith(`${last}/`);
  const shown = folders.slice(place, isInName ? -1 : undefined);
  return shown.length === 0 ? '' : `${shown.join('/')}/`;
}

const foldersOf = (documentId: string): string[] => documentId.split('/').slice(0, -1);

/** The name with all headings, uncut: where there is room for it. */
export function fullPassageName(passage: NameablePassage): string {
  return [documentName(passage), ...(passage.section === undefined ? [] : [passage.section])].join(SEPARATOR);
}

/** A file without its extension, or what a record calls itself. */
function documentName({ documentId, title, path }: NameablePassage): string {
  if (!isFile(documentId, path)) return title || documentId;
  const [file = '', folder] = documentId.split('/').reverse();
  const stem = file.replace(EXTENSION, '');
  if (INDEX.test(stem)) return folder === undefined || ANY_FOLDER.test(folder) ? title || stem : folder;
  if (README.test(stem) && folder !== undefined) return `${folder}/${stem}`;
  return WITHOUT_MEANING.test(stem) && title !== '' && title !== file ? title : stem;
}

function isFile(documentId: string, path: string): boolean {
  return path.replaceAll('\\', '/').endsWith(`/${documentId}`);
}

function shortened(part: string): string {
  return part.length > MAX_PART ? `${part.slice(0, MAX_PART - 1).trimEnd()}${CUT}` : part;
}
