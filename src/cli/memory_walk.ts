/** The numbered walk: from node to node, with a way back. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { toWire } from '../core/wire.ts';
import { type OpenMemory, oneId } from './memory_access.ts';
import { nodeText, stepLines, typeText } from './memory_text.ts';
import { json, plain, type Terminal } from './output.ts';

const PAGE = 15;
const HELP = 'a number goes there; more, back, reset, an id, quit';

/** Where one stands. */
interface Place {
  readonly id: string | undefined;
  readonly offset: number;
}

interface Option {
  readonly id: string;
}

/** Reads one order a line until `quit` or the end of the input. With `json` each place is one document. */
export async function walkMemory(
  terminal: Terminal,
  open: OpenMemory,
  { from, json: asJson }: { readonly from: string | undefined; readonly json: boolean },
): Promise<void> {
  const start: Place = { id: from === undefined ? undefined : oneId(open, from), offset: 0 };
  let trail: readonly Place[] = [start];
  let options = show(terminal, open, start, asJson);
  for await (const line of createInterface({ input: Readable.from(terminal.stdin) })) {
    const order = line.trim();
    if (order === 'quit' || order === 'q') return;
    const next = nextTrail(trail, order, options, open);
    if (typeof next === 'string') {
      terminal.err(`${next}\n`);
      continue;
    }
    trail = next;
    options = show(terminal, open, trail.at(-1) ?? start, asJson);
  }
}

/** Where the order leads; a text says why nowhere. */
function nextTrail(
  trail: readonly Place[],
  order: string,
  options: readonly Option[],
  open: OpenMemory,
): readonly Place[] | string {
  const here = trail.at(-1) ?? { id: undefined, offset: 0 };
  if (order === 'reset') return trail.slice(0, 1);
  if (order === 'back') return trail.length > 1 ? trail.slice(0, -1) : 'this is where the walk began';
  if (order === 'more')
    return options.length < PAGE
      ? 'there is no more'
      : [...trail.slice(0, -1), { ...here, offset: here.offset + PAGE }];
  if (/^\d+$/.test(order)) {
    const chosen = options[Number(order) - here.offset - 1];
    return chosen === undefined ? `there is no ${order} here; ${HELP}` : [...trail, { id: chosen.id, offset: 0 }];
  }
  const [found, second] = open.resolve(order);
  if (order === '' || found === undefined) return HELP;
  return second === undefined
    ? [...trail, { id: found, offset: 0 }]
    : `${plain(order)} is the beginning of several ids`;
}

/** Prints the place and gives what its numbers stand for. Without an id it is the newest incidents. */
function show(terminal: Terminal, open: OpenMemory, { id, offset }: Place, asJson: boolean): readonly Option[] {
  if (id === undefined) {
    const query = { type: 'incident', since: undefined, until: undefined, before: undefined, limit: offset + PAGE };
    const newest = (open.face.nodes(query) ?? []).slice(offset);
    if (asJson) json(terminal, { id: null, offset, steps: toWire(newest) });
    else {
      const number = (index: number) => String(offset + index + 1).padStart(4);
      const lines = newest.map(
        ({ id: each, type, label }, index) => `${number(index)}  ${typeText(terminal, type)} ${each}  ${plain(label)}`,
      );
      terminal.out(`${['the newest incidents', ...lines].join('\n')}\n`);
    }
    return newest;
  }
  const node = open.face.node(id, { limit: PAGE, offset });
  if (node === undefined) return [];
  if (asJson) json(terminal, { ...(toWire(node) as object), offset });
  else if (offset === 0) terminal.out(`${nodeText(terminal, node)}\n`);
  else terminal.out(`${stepLines(terminal, node.steps, offset + 1).join('\n')}\n`);
  return node.steps;
}
