/** Exports a picture of the panel to a file that looks the same anywhere, by inlining computed styles. */

/** The properties that the pictures use; others have no effect on them. */
const PROPERTIES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'paint-order',
] as const;

/**
 * The text of an SVG file.
 *
 * @param svg in the document, so that its styles can be computed
 * @param background CSS colour behind the picture
 */
export function svgFile(svg: SVGSVGElement, background: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  writeStyles(svg, copy);
  for (const attribute of ['class', 'aria-hidden']) copy.removeAttribute(attribute);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', plainColour(background));
  copy.prepend(ground);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Writes only styles that differ from the parent's; the file inherits the rest. */
function writeStyles(from: Element, to: Element, inherited?: CSSStyleDeclaration): void {
  const style = getComputedStyle(from);
  for (const property of PROPERTIES) {
    const value = style.getPropertyValue(property);
    // Opacity is not inherited; everything else in the list is.
    const known = property === 'opacity' ? '1' : inherited?.getPropertyValue(property);
    to.removeAttribute(property);
    if (value !== '' && value !== known) to.setAttribute(property, plainColour(value));
  }
  [...from.children].forEach((child, index) => writeStyles(child, to.children[index]!, style));
}

const MIXED = /^color\(srgb\s+([\d.e-]+)\s+([\d.e-]+)\s+([\d.e-]+)(?:\s*\/\s*([\d.e-]+))?\)$/u;

/**
 * Converts `color(srgb …)`, as browsers compute mixed colours, to `rgb(…)` for programs that do not support newer CSS.
 */
export function plainColour(value: string): string {
  const mixed = MIXED.exec(value);
  if (!mixed) return value;
  const [red, green, blue] = mixed.slice(1, 4).map((part) => Math.round(Number(part) * 255));
  const alpha = mixed[4];
  return alpha === undefined
    ? `rgb(${red}, ${green}, ${blue})`
    : `rgba(${red}, ${green}, ${blue}, ${Number(alpha)})`;
}
