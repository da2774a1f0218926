/** Says of a name that there is no such channel or tool, which one was probably meant, and what lists them all. */
import { nearest } from '../config/suggestions.ts';
import type { Known } from '../control/commands.ts';
import { TOOL_NAMES } from '../core/tool.ts';

const SHOWN_MAX = 80;
/** So many are compared: a daemon with ten thousand answers a typing mistake, too. */
const COMPARED_MAX = 2_000;

interface Named {
  readonly id: string;
}

function unknown(what: string, name: string, known: readonly string[], list: string): string {
  const meant = nearest(name, known.slice(0, COMPARED_MAX));
  const suggestion = meant === undefined ? '' : `: did you mean ${meant}?`;
  return `there is no such ${what} as ${JSON.stringify(name.slice(0, SHOWN_MAX))}${suggestion} (${list})`;
}

export const unknownChannel = (name: string, channels: readonly Named[]): string =>
  unknown(
    'channel',
    name,
    channels.map(({ id }) => id),
    'reeve status lists them',
  );

/** What of the two it is that there is not. */
export const unknownChannelOrTool = (channel: string, tool: string, channels: readonly Named[]): string =>
  channels.some(({ id }) => id === channel)
    ? unknown('tool', tool, TOOL_NAMES, `there are ${TOOL_NAMES.join(', ')}`)
    : unknownChannel(channel, channels);

/** The scope that was probably meant, as it is typed: one of that very name and another kind, or else the nearest. */
export function meantScope(typed: string, { channels, groups, engines }: Known): string | undefined {
  const wide = [...[...groups].map((id) => `group:${id}`), ...[...engines].map((id) => `engine:${id}`), 'fleet'];
  const name = typed.replace(/^channel:/, '');
  const named = wide.find((scope) => scope.endsWith(`:${name}`));
  return named ?? nearest(name, [...[...channels].slice(0, COMPARED_MAX), ...wide.slice(0, COMPARED_MAX)]);
}
