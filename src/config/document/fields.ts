/** Schemas of fields that several documents share. */
import { z } from 'zod';
import { checked, type Meaning } from '../validate.ts';
import { shown } from '../words.ts';
import { PLACEHOLDER } from '../../core/document/fields.ts';

export { ID_RULE, idField, PLACEHOLDER, textField, urlField, urlProblem } from '../../core/document/fields.ts';

/** The id of a persona. That it exists is checked when the personas are read. */
export const personaField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'the id of a persona: lower case letters, digits and _')
  .describe('The id of a persona.');

export const phaseField = z
  .int()
  .min(0)
  .max(4)
  .describe('0 watch only; 1 tools that look; 2 low risk; 3 restarts through the guard, one step; 4 the full loop.')
  .transform((phase) => phase as 0 | 1 | 2 | 3 | 4);

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:7433`, `[::1]:7433` or `name:7433`. */
export function parseAddress(input: unknown, portMin = 1): Meaning<Address> {
  const hint = 'write host:port, for example 127.0.0.1:7433 or [::1]:7433';
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(String(input)) ?? [];
  const host = bracketed ?? plain;
  if (typeof input !== 'string' || host === undefined) return { no: `expected an address, got ${shown(input)}`, hint };
  if (Number(port) >= portMin && Number(port) <= 65_535) return { ok: { host, port: Number(port) } };
  return { no: `expected a port from ${portMin} to 65535, got ${port}`, hint };
}

/** An address to listen on. Port 0 lets the system choose one. */
export const listenField = (description: string, standard?: string) =>
  checked((input) => parseAddress(input, 0), {
    type: 'string',
    description,
    ...(standard !== undefined && { default: standard }),
    examples: ['127.0.0.1:7433'],
  });

export const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|localhost|::1)$/.test(host);

/** `host:port`, where the host may hold `{id}`. */
export const tcpField = (description: string) =>
  checked(
    (input): Meaning<string> => {
      const meaning = parseAddress(typeof input === 'string' ? input.replace(PLACEHOLDER, 'x') : input);
      return 'ok' in meaning ? { ok: input as string } : meaning;
    },
    { type: 'string', description, examples: ['127.0.0.1:8000'] },
  );
