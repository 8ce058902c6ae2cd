// Draws media/icon.png, the icon of the gallery, from media/parallax.svg: `node scripts/icon.mjs`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { findBrowser } from './lib/browser.mjs';
import { Failure, main } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

const SIZE = 256;
/** Also the banner in package.json. */
const BACKGROUND = '#1f2a44';
const LINES = '#ffffff';

await main(async () => {
  const executablePath = findBrowser();
  if (!executablePath) throw new Failure('Drawing needs Chromium: run "npm run setup -- --browser" first.');
  const { chromium } = await import('playwright-core');
  const svg = readFileSync(join(ROOT, 'media', 'parallax.svg'), 'utf8');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
    await page.setContent(`<style>
      body { margin: 0; background: ${BACKGROUND}; color: ${LINES}; height: ${SIZE}px; display: grid;
        place-items: center }
      svg { width: 72%; height: 72% }
    </style>${svg}`);
    await page.screenshot({ path: join(ROOT, 'media', 'icon.png') });
  } finally {
    await browser.close();
  }
});
