/** Asks for the addresses of hosts: each name at most once at a time, and few that answer slowly. */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type MonoMs, systemClock } from '../core/clock.ts';

type Answer = readonly LookupAddress[];
type Ask = (name: string, options: LookupOptions) => Promise<Answer>;

/** What took longer is slow until it is answered sooner. */
const SLOW_MS = 1_000;
/** Questions about slow names that are under way at once. */
const SLOW_MAX = 3;
/** Always this machine (RFC 6761, 6.3). */
const LOCALHOST: Answer = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * A question holds a thread until the system's resolver gives up, ten seconds and more, however soon its asker does;
 * and the platform has few for that. A hundred sources of one domain whose name servers are gone took all of them, and
 * nothing else that has a name, `localhost` included, was reached any more. So all who ask for a name share one
 * question, slow names wait for each other, and `localhost` takes none.
 */
export function createNameLookup(
  ask: Ask = askSystem,
  nowMs = (): MonoMs => systemClock.monotonicMs(),
): LookupFunction {
  const pending = new Map<string, Promise<Answer>>();
  const slow = new Set<string>();
  const waiting: (() => void)[] = [];
  let slowAsked = 0;

  const askSlowly = async (question: () => Promise<Answer>): Promise<Answer> => {
    // Whoever waited takes the place of the one that ended.
    if (slowAsked >= SLOW_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
    else slowAsked += 1;
    try {
      return await question();
    } finally {
      const next = waiting.shift();
      if (next === undefined) slowAsked -= 1;
      else next();
    }
  };
  const timed = async (key: string, name: string, options: LookupOptions): Promise<Answer> => {
    const beganMs = nowMs();
    try {
      return await ask(name, options);
    } finally {
      if (nowMs() - beganMs > SLOW_MS) slow.add(key);
      else slow.delete(key);
    }
  };
  const answer = (name: string, options: LookupOptions): Promise<Answer> => {
    const key = `${name} ${options.family ?? 0} ${options.hints ?? 0} ${options.order ?? ''}`;
    const known = pending.get(key);
    if (known !== undefined) return known;
    const question = () => timed(key, name, options);
    const asked = (slow.has(key) ? askSlowly(question) : question()).finally(() => pending.delete(key));
    pending.set(key, asked);
    return asked;
  };
  return (name, options, callback) => {
    const isLocal = name.toLowerCase() === 'localhost';
    const found = isLocal ? Promise.resolve(LOCALHOST.filter(isOf(options.family))) : answer(name, options);
    found.then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

const isOf =
  (family: LookupOptions['family']) =>
  (address: LookupAddress): boolean =>
    family !== 4 && family !== 6 ? true : address.family === family;

const askSystem: Ask = (name, options) =>
  new Promise((resolve, reject) => {
    dns.lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

/** One for the whole process: its threads are. */
export const nameLookup = createNameLookup();
