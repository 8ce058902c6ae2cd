/** Names of passages on every surface, from file and section: "0560-integer-overflow › Alternatives". */

/** The fields of a passage that its name is made from. */
export interface NameablePassage {
  readonly documentId: string;
  /** Title of its document. */
  readonly title: string;
  /** `A › B`, or its page. */
  readonly section?: string | undefined;
  /** Path of its file. If it does not end like the document's id, the passage is a record or from another system. */
  readonly path: string;
}

const SEPARATOR = ' › ';
const CUT = '…';
const MAX_PART = 60;
/** File names with a technical role instead of a meaning. */
const INDEX = /^(?:_?index|default)$/i;
/** Common folder names that do not describe their content. */
const ANY_FOLDER = /^(?:content|docs?|documentation|html|pages|public|site|src|www|[a-z]{2}(?:-[a-z]{2})?)$/i;
const README = /^readme$/i;
/** Numbers and checksums. */
const WITHOUT_MEANING = /^(?:\d+|(?=.*\d)[\da-f]{8,}(?:-[\da-f]{4,}){0,6})$/i;
const EXTENSION = /(?<=.)\.[a-z\d]{1,10}$/i;

/** The name of a passage. With more than two headings, only the first and the last are used. Long ones are cut. */
export function passageName(passage: NameablePassage): string {
  const titles = passage.section?.split(SEPARATOR) ?? [];
  const shown = titles.length > 2 ? [titles[0]!, CUT, titles.at(-1)!] : titles;
  return [documentName(passage), ...shown].map(shortened).join(SEPARATOR);
}

/** The innermost heading above a passage, empty without one. */
export function nearestHeading({ section = '' }: Pick<NameablePassage, 'section'>): string {
  return section.split(SEPARATOR).at(-1)!;
}

/** The names of passages that are shown together. Equal names of different documents are distinguished by folders. */
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

/**
 * The fewest folders around a file that distinguish it from the others, with a trailing slash. Empty without others.
 */
function tellingFolders(passage: NameablePassage, otherPassages: readonly NameablePassage[]): string {
  if (otherPassages.length === 0 || !isFile(passage.documentId, passage.path)) return '';
  const folders = foldersOf(passage.documentId);
  const place = folders.findLastIndex((_, from) => {
    const end = `/${folders.slice(from).join('/')}`;
    return otherPassages.every(({ documentId }) => !`/${foldersOf(documentId).join('/')}`.endsWith(end));
  });
  if (place < 0) return '';
  const last = folders.at(-1)!;
  const name = documentName(passage);
  const isInName = name === last || name.startsWith(`${last}/`);
  const shown = folders.slice(place, isInName ? -1 : undefined);
  return shown.length === 0 ? '' : `${shown.join('/')}/`;
}

const foldersOf = (documentId: string): string[] => documentId.split('/').slice(0, -1);

/** The name with all headings, uncut. */
export function fullPassageName(passage: NameablePassage): string {
  return [documentName(passage), ...(passage.section === undefined ? [] : [passage.section])].join(SEPARATOR);
}

/** The file name without its extension, or the title of a record. */
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
