/** Fields that configuration documents of every room share. */
import { z } from 'zod';
import { checked, type Meaning } from './checked.ts';
import { shown } from './shown.ts';

/** Ids of channels, groups, engines, sources and receivers: safe in a URL, a label, a file name and a shell. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
export const ID_RULE = 'letters, digits, "_", "-" or ".", beginning with a letter or digit, at most 64';

/** An id. `fleet` means everything and is not the id of anything. */
export const idField = (description: string) =>
  checked(
    (input): Meaning<string> => {
      if (typeof input === 'number')
        return { no: `expected text, got ${shown(input)}`, hint: `put it in quotes: "${input}"` };
      if (typeof input !== 'string') return { no: `expected an id, got ${shown(input)}`, hint: ID_RULE };
      if (input === 'fleet') return { no: 'the id fleet means everything', hint: 'choose another id' };
      return ID.test(input) ? { ok: input } : { no: `expected an id, got ${shown(input)}`, hint: idHint(input) };
    },
    { type: 'string', pattern: ID.source, description },
  );

function idHint(input: string): string {
  const repaired = input
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  return repaired === '' ? ID_RULE : `${ID_RULE}, for example ${repaired}`;
}

export const textField = z.string().min(1).max(4_096);

/** `{id}` stands for the channel's id; any other word in braces was meant to be one. */
export const PLACEHOLDER = /\{[^{}]*\}/g;

/** Why a text is not an http(s) address that may stand in a file; undefined when it is one. */
export function urlProblem(input: unknown): { readonly no: string; readonly hint: string } | undefined {
  const hint = 'write an address such as http://127.0.0.1:8080/path';
  if (typeof input !== 'string' || input === '') return { no: `expected an address, got ${shown(input)}`, hint };
  if (!/^https?:\/\//.test(input)) return { no: `expected http:// or https://, got ${shown(input)}`, hint };
  const url = URL.parse(input.replace(PLACEHOLDER, 'x'));
  if (url === null || /\s/.test(input)) return { no: `expected an address, got ${shown(input)}`, hint };
  if (url.username !== '' || url.password !== '') {
    return {
      no: 'an address carries no user and no password',
      hint: 'take them out; secrets come by a file or the environment',
    };
  }
  return url.port === '0' ? { no: 'expected a port from 1 to 65535, got 0', hint } : undefined;
}

export const urlField = (description: string) =>
  checked((input): Meaning<string> => urlProblem(input) ?? { ok: input as string }, {
    type: 'string',
    description,
    pattern: '^https?://',
  });
