// Draws the pictures that the gallery does not show as SVG: the icon, and the charts of the README.
// `node scripts/pictures.mjs`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { findBrowser } from './lib/browser.mjs';
import { Failure, main } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

const SIZE = 256;
/** The same colour as the banner in package.json. */
const BACKGROUND = '#1f2a44';
const LINES = '#ffffff';

const CHART = { width: 760, height: 420 };

const PICTURES = [
  {
    svg: 'media/parallax.svg',
    png: 'media/icon.png',
    size: { width: SIZE, height: SIZE },
    style: `body { margin: 0; background: ${BACKGROUND}; color: ${LINES}; height: ${SIZE}px; display: grid;
      place-items: center } svg { width: 72%; height: 72% }`,
  },
  {
    svg: 'media/charts/scale.svg',
    png: 'media/charts/scale.png',
    size: CHART,
    style: 'body { margin: 0; background: #ffffff }',
  },
];

await main(async () => {
  const executablePath = findBrowser();
  if (!executablePath) throw new Failure('Drawing needs Chromium: run "npm run setup -- --browser" first.');
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const { svg, png, size, style } of PICTURES) {
      const page = await browser.newPage({ viewport: size });
      await page.setContent(`<style>${style}</style>${readFileSync(join(ROOT, svg), 'utf8')}`);
      await page.screenshot({ path: join(ROOT, png) });
    }
  } finally {
    await browser.close();
  }
});
