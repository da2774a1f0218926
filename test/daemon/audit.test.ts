import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GENESIS, hashOf } from '../../src/journal/chain.ts';
import { type Daemon, reeve, Rig } from '../support/rig.ts';

describe('reeve audit, beside the daemon', () => {
  let rig: Rig;
  let daemon: Daemon;
  beforeAll(async () => {
    rig = await Rig.open();
    daemon = await rig.run();
    await rig.reeve('freeze', '--because', 'a second record');
    await rig.reeve('thaw', '--because', 'a third record');
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const verify = async () => {
    const { code, stdout } = await rig.reeve('audit', 'verify', '--json');
    return { code, ...JSON.parse(stdout) };
  };

  it('verifies the chain of a running daemon', async () => {
    expect(await verify()).toMatchObject({ code: 0, ok: true, first_bad: null });
  });

  it('exports every record as NDJSON, with its hash', async () => {
    const records = await rig.journal();
    expect(records[0]).toMatchObject({
      seq: 1,
      fact: { type: 'reeve.started' },
      hash: expect.stringMatching(/^\w{64}$/),
    });
  });

  it('finds a tail that was cut off, though what is left is whole', async () => {
    await daemon.kill('SIGKILL');
    const before = await rig.journal();
    const db = new DatabaseSync(`${rig.state}/journal.db`);
    db.exec(`DELETE FROM entry WHERE seq = ${before.length}`);
    db.close();
    expect(await verify()).toMatchObject({ code: 1, ok: false, first_bad: before.length });
  });

  it('finds a record that was changed', async () => {
    const db = new DatabaseSync(`${rig.state}/journal.db`);
    db.exec(`UPDATE entry SET body = replace(body, 'earlier', 'another') WHERE seq = 1`);
    db.close();
    expect(await verify()).toMatchObject({ code: 1, ok: false, first_bad: 1 });
  });

  it('says what is missing where there is no journal, and ends with 74', async () => {
    const { code, stderr } = await reeve(['audit', 'verify', '--state', rig.at('nothing')]);
    expect({ code, stderr }).toMatchObject({ code: 74, stderr: expect.stringContaining('there is no journal') });
  });
});

interface Row {
  readonly at: number;
  readonly mono_ms: number;
  readonly boot: string;
  readonly channel: string | null;
  readonly incident: string | null;
  readonly run: string | null;
  readonly type: string;
  readonly body: string;
}

describe('reeve audit, against who may write the journal', () => {
  let rig: Rig;
  let head: { seq: number; hash: string };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  beforeAll(async () => {
    const witness = (own: Rig) => `witness: { file: "${own.at('heads')}", key_file: "${own.at('key.pem')}" }`;
    rig = await Rig.open({ journal: witness });
    writeFileSync(rig.at('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    writeFileSync(rig.at('pub.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    const daemon = await rig.run();
    await rig.reeve('freeze', '--because', 'what the intruder wants to hide');
    await rig.reeve('thaw', '--because', 'a later record');
    expect(await daemon.kill('SIGTERM')).toBe(0);
    head = JSON.parse(readFileSync(rig.at('heads'), 'utf8').trim().split('\n').at(-1)!);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const verify = async (...more: readonly string[]) => {
    const { code, stdout, stderr } = await rig.reeve('audit', 'verify', '--json', ...more);
    return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
  };
  /** Takes the freeze out and writes the whole chain anew, as one who knows the source can. */
  function rewrite(): void {
    const db = new DatabaseSync(`${rig.state}/journal.db`);
    const rows = db.prepare('SELECT * FROM entry ORDER BY seq').all() as unknown as readonly Row[];
    db.exec('DELETE FROM entry');
    const insert = db.prepare('INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    let previous = GENESIS;
    let seq = 0;
    for (const row of rows.filter(({ type }) => type !== 'control.frozen')) {
      const { at, mono_ms: monoMs, boot, type, body } = row;
      const about = {
        channel: row.channel ?? undefined,
        incident: row.incident ?? undefined,
        run: row.run ?? undefined,
      };
      seq += 1;
      previous = hashOf(previous, { seq, at, monoMs, boot, type, body, ...about });
      insert.run(seq, at, monoMs, boot, row.channel, row.incident, row.run, type, body, previous);
    }
    db.exec(`UPDATE sqlite_sequence SET seq = ${seq} WHERE name = 'entry'`);
    db.close();
  }

  it('sends the head to a file elsewhere at the start and at the end, signed, and logs it', async () => {
    const lines = readFileSync(rig.at('heads'), 'utf8').trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(head).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      signature: expect.stringMatching(/^ed25519:/),
    });
    const journal = await rig.journal();
    expect(journal.find(({ seq }) => seq === head.seq)).toMatchObject({ hash: head.hash });
    expect(rig.log()).toContain(`"hash":"${head.hash}"`);
  });

  it('finds its heads in an unmodified journal: given by hand, from the file, and from the log', async () => {
    const asked = { code: 0, ok: true, unwitnessed: 0 };
    expect(await verify('--head', head.hash)).toMatchObject({ ...asked, heads: [{ seq: head.seq, found: 'yes' }] });
    expect(await verify('--head', `${head.seq}:${head.hash.slice(0, 13)}`)).toMatchObject(asked);
    expect(await verify('--heads', rig.at('heads'), '--key', rig.at('pub.pem'))).toMatchObject(asked);
    expect(await verify('--heads', rig.logPath, '--key', rig.at('key.pem'))).toMatchObject(asked);
  });

  it('says what a chain alone does not prove', async () => {
    const { stdout } = await rig.reeve('audit', 'verify');
    expect(stdout).toContain('can write a whole new chain');
    expect((await rig.reeve('audit', 'verify', '--head', head.hash)).stdout).toContain('1 head found');
  });

  it('takes no heads that another key signed, and no text that is no head', async () => {
    const forged = `${rig.at('heads')}.forged`;
    writeFileSync(forged, JSON.stringify({ ...head, hash: 'a'.repeat(64) }));
    expect(await verify('--heads', forged, '--key', rig.at('pub.pem'))).toMatchObject({ code: 64 });
    expect(await verify('--head', 'nonsense')).toMatchObject({ code: 64 });
    expect(await verify('--heads', rig.at('key.pem'))).toMatchObject({ code: 64 });
    expect(await verify('--key', rig.at('pub.pem'))).toMatchObject({ code: 64 });
  });

  it('finds a journal that was rewritten as a whole, which its own chain does not', async () => {
    rewrite();
    expect(await verify()).toMatchObject({ code: 0, ok: true });
    expect(await verify('--head', head.hash)).toMatchObject({ code: 1, ok: false, heads: [{ found: 'no' }] });
    expect(await verify('--heads', rig.at('heads'))).toMatchObject({
      code: 1,
      because: expect.stringContaining('rewritten'),
    });
  });
});
