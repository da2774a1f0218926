// The law of all parsers: whatever comes, it is read or refused, in bounded time and room.
import fc from 'fast-check';
import { inputsOf, seedsOf } from './mutations.ts';
import type { Parser } from './parsers.ts';

/** Processor time for 64 KiB. Each takes a hundredth of it; a search that starts over and over takes minutes. */
const CPU_MS_MAX = 1_000;
const MADE_BYTES_MAX = 32 * 1024 * 1024;

const madeBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Throws with the reason where the parser breaks the law. */
export async function judge(
  { parse, refuses = [], madeBytesMax = MADE_BYTES_MAX, cpuMsMax = CPU_MS_MAX }: Parser,
  bytes: Buffer,
): Promise<void> {
  const [before, started] = [madeBytes(), process.cpuUsage()];
  try {
    await parse(bytes);
  } catch (thrown) {
    if (!refuses.some((kind) => thrown instanceof kind)) throw thrown;
  }
  const { user, system } = process.cpuUsage(started);
  const [cpuMs, made] = [(user + system) / 1_000, madeBytes() - before];
  if (cpuMs > cpuMsMax) throw new Error(`${bytes.length} bytes took ${cpuMs} ms`);
  if (made > madeBytesMax) throw new Error(`${bytes.length} bytes made ${made} bytes`);
}

/** Tries so many inputs. Throws with the smallest one found that breaks the law, and with the seed that finds it again. */
export async function hunt(parser: Parser, numRuns: number, seed?: number): Promise<void> {
  const inputs = inputsOf(seedsOf(parser.name));
  const law = fc.asyncProperty(inputs, (bytes) => judge(parser, bytes));
  await fc.assert(law, { numRuns, ...(seed === undefined ? {} : { seed }) });
}
