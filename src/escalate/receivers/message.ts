/** The text that all receivers for people share. */
import { hash } from 'node:crypto';
import { keyOfScope } from '../../core/scope.ts';
import { ReeveError } from '../../core/errors.ts';
import type { Notice } from '../receiver.ts';
import { oneLine, plain } from '../text.ts';

const DETAILS_CHARACTERS_MAX = 2_000;
const DEDUP_KEY_CHARACTERS_MAX = 255;

/** `CRITICAL news: output_stalled`; says so when it is a repeat or over. One line of at most `charactersMax`. */
export function headlineOf({ what, severity, summary }: Notice, charactersMax: number): string {
  const begins = { trigger: severity.toUpperCase(), repeat: `STILL ${severity.toUpperCase()}`, resolve: 'RESOLVED' };
  return oneLine(`${begins[what]} ${summary}`, charactersMax);
}

/** Why it was resolved, or what happened and what was tried. Several lines, at most 2,000 characters. */
export function detailsOf({ what, because, details }: Notice): string {
  const end = what === 'resolve' && because !== undefined ? `Resolved: ${because}\n\n` : '';
  return plain(`${end}${details}`, DETAILS_CHARACTERS_MAX);
}

/** What a person looks for first, as names and values. */
export function factsOf(notice: Notice): readonly (readonly [name: string, value: string])[] {
  const { scope, severity, reason, classification, incident, key, raised } = notice;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['about', keyOfScope(scope)],
    ['severity', severity],
    ['reason', reason],
    ['classification', classification],
    ['incident', incident],
    ['raised', raised > 1 ? `${raised} times since the last message` : undefined],
    ['key', key],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, oneLine(value, 300)] as const]));
}

/** The key under which other systems join messages about one page: at most 255 characters, always the same. */
export const dedupKeyOf = ({ key }: Notice): string =>
  key.length <= DEDUP_KEY_CHARACTERS_MAX ? key : `${key.slice(0, 200)}/${hash('sha256', key, 'hex').slice(0, 32)}`;

/** A secret without which the receiver is of no use. Throws CONFIG_INVALID. */
export function required(
  secret: string | undefined,
  { id, name }: { readonly id: string; readonly name: string },
): string {
  if (secret !== undefined) return secret;
  throw new ReeveError('CONFIG_INVALID', `the receiver ${id} has no ${name}`, {
    hint: `Set ${name}_env or ${name}_file.`,
  });
}
