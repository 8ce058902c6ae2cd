/**
 * Packed files, read by the process that extracts them: PDF, Word documents as bytes and by their parts, so that the
 * content is reached despite checksums, and Parquet tables.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Extraction } from '../../src/engine/corpus/extraction/extraction.ts';
import type { PackedFormat } from '../../src/engine/corpus/extraction/messages.ts';
import { FileSkipped } from '../../src/engine/corpus/readers/reader.ts';
import { stored, zip } from '../engine/security/bombs.ts';
import { bytesOf, fixture, type FuzzedBytes } from './fuzzed-bytes.ts';
import { bytesLike, CUT, inputsLike } from './inputs.ts';

const CMAP = [
  '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def',
  '1 begincodespacerange <00> <FF> endcodespacerange',
  '2 beginbfchar <41> <0061> <42> <D83DDE00> endbfchar 1 beginbfrange <43> <50> <0063> endbfrange',
  'endcmap CMapName currentdict /CMap defineresource pop end end',
].join('\n');
const CONTENT = [
  'BT /F1 12 Tf 1 0 0 1 72 720 Tm 14 TL (Congestion charges) Tj T* [(work ) -250 (in \\101\\) cities)] TJ ET',
  "q 2 0 0 2 0 0 cm BT /F2 9 Tf 10 Tc 5 Tw 80 Tz 3 Ts <4142434400> Tj 0 -20 TD (twice) ' ET Q",
  '/X1 Do BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI /P << /MCID 0 >> BDC EMC',
].join('\n');

/** A PDF without compression, so that every change is read. */
function plainPdf(): string {
  const stream = (content: string, entries = ''): string =>
    `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Outlines 9 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate 0 /Contents [4 0 R] /Resources << /Font << /F1 5 0 R /F2 6 0 R >> /XObject << /X1 8 0 R >> >> >>',
    stream(CONTENT),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [65 /a /b /Euro] >> >>',
    '<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 65 /LastChar 68 /Widths [500 600 700 800] /ToUnicode 7 0 R >>',
    stream(CMAP),
    stream('BT /F1 8 Tf (form) Tj ET', '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >> >>'), // oxfmt-ignore
    '<< /First 10 0 R /Last 10 0 R /Count 1 >>',
    '<< /Title (One) /Parent 9 0 R /Dest [3 0 R /Fit] >>',
    '<< /Title (Plain) /Author <FEFF0041> >>',
  ];
  let text = '%PDF-1.5\n';
  const rows = objects.map((object, index) => {
    const row = `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}trailer << /Size ${size} /Root 1 0 R /Info 11 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** Parts of PDFs. */
const PDF_PARTS = [
  ...['/Type', '/Kids [2 0 R]', '/Count -1', '/Length 99999999', '/Filter /FlateDecode', '/Filter [/LZWDecode /ASCIIHexDecode]'],
  ...['1 0 R', '3 0 R', '4 0 R', '5 0 R', '99 0 R', '<<', '>>', '[', ']', 'null', 'obj', 'endobj', 'stream\n', 'endstream', '%', '/Encrypt << /V 9 >>'],
  ...['/Subtype /Type0 /DescendantFonts [6 0 R] /Encoding /Identity-H', '/Subtype /Type3 /CharProcs << /a 4 0 R >>', '/Parent 3 0 R', '/Prev 0', '/Contents 3 0 R'],
  ...['BT', 'ET', 'Tj', '1e38', '-2147483648', '0 0 0 0 0 0 Tm', '(', ')', '<', '>', '/X1 Do', 'beginbfrange <0000> <FFFF> <0000> endbfrange', '<0000> <FFFFFFFF>'],
]; // oxfmt-ignore

/** The same bytes with parts of the format inserted or replaced. */
function withParts(example: string): fc.Arbitrary<string> {
  const part = fc.record(
    { at: fc.nat(example.length), length: fc.oneof(fc.constant(0), fc.nat(20)), part: fc.constantFrom(...PDF_PARTS) },
    { noNullPrototype: true },
  ); // oxfmt-ignore
  return fc
    .array(part, { minLength: 1, maxLength: 5 })
    .map((parts) =>
      parts.reduce(
        (text, { at, length, part: put }) => `${text.slice(0, at)} ${put} ${text.slice(at + length)}`,
        example,
      ),
    );
}

const PDFS = [plainPdf(), fixture('congestion.pdf')];

const pdf: FuzzedBytes = {
  name: 'read a.pdf',
  examples: PDFS,
  inputs: fc.oneof(bytesLike(PDFS), withParts(PDFS[0]!)),
  cost: 5,
  notes,
  survives: (text) => extracts('pdf', bytesOf(text)),
};

const docx: FuzzedBytes = {
  name: 'read a.docx',
  examples: [fixture('night-trains.docx')],
  inputs: bytesLike([fixture('night-trains.docx')]),
  cost: 5,
  notes,
  survives: (text) => extracts('docx', bytesOf(text)),
};

const PART_NAMES = ['[Content_Types].xml', '_rels/.rels', 'word/document.xml', 'word/_rels/document.xml.rels', 'word/styles.xml', 'word/numbering.xml', 'word/footnotes.xml']; // oxfmt-ignore
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const PARTS = [
  `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
  `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r" Type="${R}/officeDocument" Target="word/document.xml"/></Relationships>`,
  `<?xml version="1.0" encoding="UTF-8"?><w:document ${W} xmlns:r="${R}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t xml:space="preserve">Night &amp; trains</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:rPr><w:b/><w:i w:val="false"/></w:rPr><w:t>one</w:t><w:tab/><w:br/></w:r><w:hyperlink r:id="l" w:anchor="a"><w:r><w:t>two</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="1"/></w:r></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl><w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "x" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:bookmarkStart w:name="a"/></w:p></w:body></w:document>`,
  `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="l" Type="${R}/hyperlink" Target="http://a.example/" TargetMode="External"/><Relationship Id="s" Type="${R}/styles" Target="styles.xml"/><Relationship Id="n" Type="${R}/numbering" Target="numbering.xml"/><Relationship Id="f" Type="${R}/footnotes" Target="footnotes.xml"/></Relationships>`,
  `<w:styles ${W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Heading1"/></w:style></w:styles>`,
  `<w:numbering ${W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
  `<w:footnotes ${W}><w:footnote w:id="1"><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:footnotes>`,
].join(CUT);

const docxParts: FuzzedBytes = {
  name: 'read a.docx, by its parts',
  examples: [PARTS],
  inputs: fc.oneof(inputsLike([PARTS]), bytesLike([PARTS])),
  cost: 5,
  notes,
  survives: (text) => {
    const parts = text.split(CUT).slice(0, PART_NAMES.length);
    return extracts('docx', zip(parts.map((part, place) => stored(PART_NAMES[place]!, part))));
  },
};

const exchanged = (name: string): string => fixture(`../exchange/${name}`);

const TABLES = ['ragas', 'ranx-run.uncompressed', 'ranx-run.snappy'].map((name) =>
  exchanged(`${name}.parquet`),
);
const parquet: FuzzedBytes = {
  name: 'read a table of Parquet',
  examples: TABLES,
  inputs: bytesLike(TABLES),
  cost: 5,
  notes,
  survives: (text) => extracts('parquet', bytesOf(text)),
};

/** Time limits as in the engine, but shorter. */
const LIMITS = { milliseconds: 10_000, megabytes: 1_000 };
const extraction = new Extraction(LIMITS);
/**
 * The number of abandoned documents: a range of 16 million characters in a CMap keeps pdf.js busy for 20 s, or fills 1
 * GB.
 */
let givenUp = 0;

/** The number of them since the last call. */
function notes(): string {
  const count = givenUp;
  givenUp = 0;
  return count === 0
    ? ''
    : `${count} were given up after ${LIMITS.milliseconds / 1000} s or ${LIMITS.megabytes} MB`;
}

/** @throws Error if the reading process crashed */
async function extracts(format: PackedFormat, bytes: Uint8Array): Promise<boolean> {
  try {
    const { title, text } = await extraction.extract(format, bytes);
    assert.ok(typeof text === 'string' && title !== '');
    return true;
  } catch (error) {
    if (!(error instanceof FileSkipped)) throw error;
    assert.match(error.message, /^[^]+\.$/);
    if (error.reason === 'too-large') givenUp++;
    return false;
  }
}

export const PACKED_PARSERS: readonly FuzzedBytes[] = [pdf, docx, docxParts, parquet];
