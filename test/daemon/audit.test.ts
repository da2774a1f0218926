import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    db.exec(`UPDATE entry SET body = replace(body, '0.1.0', '0.2.0') WHERE seq = 1`);
    db.close();
    expect(await verify()).toMatchObject({ code: 1, ok: false, first_bad: 1 });
  });

  it('says what is missing where there is no journal, and ends with 74', async () => {
    const { code, stderr } = await reeve(['audit', 'verify', '--state', rig.at('nothing')]);
    expect({ code, stderr }).toMatchObject({ code: 74, stderr: expect.stringContaining('there is no journal') });
  });
});
