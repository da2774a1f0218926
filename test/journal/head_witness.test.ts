import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GENESIS } from '../../src/journal/chain.ts';
import { createHeadWitness, type HeadWitnessSettings } from '../../src/journal/head_witness.ts';
import { headKeyFrom, statementIn } from '../../src/journal/heads.ts';
import { webServer } from '../escalate/servers.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aDeadFile, temporaryDirectory } from './support.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const CHECKER = headKeyFrom(publicKey.export({ type: 'spki', format: 'pem' }).toString());

function setUp(settings: Partial<HeadWitnessSettings>, hash = 'ab'.repeat(32)) {
  const { clock, advance } = fakeClock();
  const errors: string[] = [];
  const logged: object[] = [];
  const witness = createHeadWitness(
    { everyMs: 60_000, file: undefined, url: undefined, key: undefined, ...settings },
    {
      ledger: { head: { seq: 7, hash } },
      clock,
      log: { info: (fields) => logged.push(fields), warn: () => undefined, error: (_, text) => errors.push(text) },
    },
  );
  onTestFinished(() => witness[Symbol.asyncDispose]());
  return { witness, advance, errors, logged };
}

describe('the head witness', () => {
  it('adds one signed line to its file each time', async () => {
    const file = join(temporaryDirectory(), 'heads');
    const { witness, logged } = setUp({ file, key: { reveal: () => PEM } });
    await witness.tell();
    await witness.tell();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    const head = statementIn(lines[0]!);
    expect(head).toMatchObject({ seq: 7, hash: 'ab'.repeat(32) });
    expect(CHECKER.holds(head as never)).toBe(true);
    expect(logged[0]).toMatchObject({ seq: 7 });
  });

  it('reports again on its schedule, and says how long ago it last did', async () => {
    const file = join(temporaryDirectory(), 'heads');
    const { witness, advance } = setUp({ file });
    await advance(59_000);
    // Never yet: then since its start, so that a place that never took one is found, too.
    expect(witness.secondsSinceSent()).toBe(59);
    await advance(1_000);
    await expect.poll(() => witness.secondsSinceSent()).toBe(0);
    await advance(5_000);
    expect(witness.secondsSinceSent()).toBe(5);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  });

  it('goes on by its other way where one fails, and counts a failure as nothing reported', async () => {
    const server = await webServer((_, answer) => answer.end());
    const both = setUp({ file: '/nowhere/heads', url: server.url });
    await both.witness.tell();
    expect(server.posts.map(({ body }) => JSON.parse(body).seq)).toEqual([7]);
    expect(both.errors).toEqual([expect.stringContaining("the journal's head was not taken")]);
    const none = setUp({ file: '/nowhere/heads' });
    await none.witness.tell();
    await none.advance(7_000);
    expect(none.witness.secondsSinceSent()).toBe(7);
    expect(setUp({}).witness.secondsSinceSent()).toBeUndefined();
  });

  it('waits for no file whose file system is away, keeps one thread for it, and goes on by its other way', async () => {
    const server = await webServer((_, answer) => answer.end());
    const { witness, advance, errors } = setUp({ file: aDeadFile(), url: server.url });
    const first = witness.tell();
    await advance(3_000);
    await first;
    await witness.tell();
    expect(server.posts).toHaveLength(2);
    expect(errors).toEqual([
      "the journal's head was not taken: its file system did not answer in 3000 ms",
      expect.stringContaining('the head before it is still being written'),
    ]);
    expect(witness.secondsSinceSent()).toBe(0);
  });

  it('is believed by the status of an answer, however long that is', async () => {
    const server = await webServer((_, answer) => answer.end('x'.repeat(2_000_000)));
    const { witness, errors } = setUp({ url: server.url });
    await witness.tell();
    expect([errors, witness.secondsSinceSent()]).toEqual([[], 0]);
  });

  it('reports nothing of a journal that is still empty', async () => {
    const file = join(temporaryDirectory(), 'heads');
    const { witness, logged } = setUp({ file }, GENESIS);
    await witness.tell();
    expect(logged).toEqual([]);
    expect(() => readFileSync(file)).toThrow();
  });
});
