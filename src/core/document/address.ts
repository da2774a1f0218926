/** Fields that hold a host and a port. */
import { checked, type Meaning } from './checked.ts';
import { PLACEHOLDER } from './fields.ts';
import { shown } from './shown.ts';

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
