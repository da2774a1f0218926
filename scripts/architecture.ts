// Draws docs/architecture.svg: the rooms of src/ in their storeys.
// Usage: node scripts/architecture.ts [--check]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STOREYS } from './storeys.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'docs/architecture.svg');
const ROW = 54;
const WIDTH = 1000;
const LABEL = 150;

/** What each storey is, from the lowest up; the last one is `src/main.ts` and `src/index.ts`. */
const NAMES = [
  'vocabulary',
  'transport',
  'edges',
  'stages',
  'guard',
  'configuration',
  'knowledge',
  'loop',
  'conductors',
  'simulated world',
  'policy tests',
  'recorded world',
  'faces',
  'wiring',
  'entry',
];

const textAt = (x: number, y: number, size: number, text: string): string =>
  `<text x="${x}" y="${y}" font-size="${size}" fill="currentColor">${text}</text>`;

/** The picture as SVG; the same sources give the same bytes. */
export function picture(): string {
  const rows = STOREYS.map((rooms) => rooms.filter((room) => room !== '.' && existsSync(join(ROOT, 'src', room))));
  const height = rows.length * ROW + 20;
  const parts = rows.map((rooms, storey) => {
    const y = height - (storey + 1) * ROW;
    const boxes = rooms.length === 0 ? ['main.ts · index.ts'] : rooms;
    const width = (WIDTH - LABEL - 10) / boxes.length;
    const drawn = boxes.map((label, at) => {
      const x = LABEL + at * width;
      const box = `<rect x="${x + 4}" y="${y + 6}" width="${width - 8}" height="${ROW - 14}" rx="6" fill="none" stroke="currentColor"/>`;
      return box + textAt(x + 14, y + 31, 14, label);
    });
    return textAt(8, y + 31, 13, `${storey} ${NAMES[storey] ?? ''}`) + drawn.join('');
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif">`;
  return `${head}\n${parts.join('\n')}\n</svg>\n`;
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) writeFileSync(OUT, picture());
  else if (readFileSync(OUT, 'utf8') !== picture()) {
    process.stderr.write('docs/architecture.svg is out of date: node scripts/architecture.ts\n');
    process.exit(1);
  }
}
