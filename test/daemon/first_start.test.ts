import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Rig, until } from '../support/rig.ts';

const KEY = 'phase/held';
const SET_BACK = 'phase/set_back';
const phase = async (rig: Rig): Promise<number> => JSON.parse((await rig.reeve('status', '--json')).stdout).phase;

describe('a daemon whose journal is empty, configured for the full loop', () => {
  it('pages, restarts nothing that dies, and does so once a person has set the phase', async () => {
    await using rig = await Rig.open({ emptyJournal: true });
    await rig.run();
    await until('it is paged', () => rig.deliveredUnder(KEY).length > 0);
    expect(rig.deliveredUnder(KEY)).toMatchObject([{ what: 'trigger', summary: expect.stringContaining('phase 1') }]);
    expect(await phase(rig)).toBe(1);
    const status = await rig.reeve('status');
    expect(status.stdout).toMatch(/the journal was empty: held at phase 1/);

    rig.die('news');
    await until('the death is paged', () => rig.delivered.some(({ scope }) => scope === 'channel:news'));
    expect(rig.invocations('news')).toBe(0);
    const whyNot = await rig.reeve('why-not', 'news', 'restart_channel');
    expect(whyNot.stdout).toMatch(/phase 1 \(held there since the journal was empty\)/);

    expect(await rig.reeve('phase', '4', '--because', 'first installation')).toMatchObject({ code: 0 });
    await until('it is restarted', () => rig.isPlaying('news'));
    await until('the page is over', () => rig.deliveredUnder(KEY).some(({ what }) => what === 'resolve'));
    expect(await phase(rig)).toBe(4);
    expect(rig.invocations('news')).toBe(1);
  }, 120_000);

  it('stays held over a restart, and is released for good by a command of a person', async () => {
    await using rig = await Rig.open({ emptyJournal: true });
    const first = await rig.run();
    await first.kill('SIGKILL');
    const second = await rig.run();
    expect(await phase(rig)).toBe(1);
    await rig.reeve('phase', '3', '--because', 'first installation');
    await second.kill('SIGKILL');
    await rig.run();
    expect(await phase(rig)).toBe(3);
  }, 120_000);

  it('is held again when its journal is lost', async () => {
    await using rig = await Rig.open();
    const daemon = await rig.run();
    expect(await phase(rig)).toBe(4);
    await daemon.kill('SIGKILL');
    for (const name of readdirSync(rig.state).filter((one) => one.startsWith('journal.db')))
      rmSync(rig.at(`state/${name}`));
    await rig.run();
    expect(await phase(rig)).toBe(1);
  }, 120_000);
});

describe('a daemon whose state directory was restored from a backup', () => {
  it('sees by its witness file that records are missing, pages, and only looks until a person sets the phase', async () => {
    const journal = (own: Rig): string => `witness: { file: "${own.at('heads')}" }`;
    await using rig = await Rig.open({ journal, emptyJournal: true });
    const first = await rig.run();
    await until('the empty journal is paged', () => rig.deliveredUnder(KEY).length > 0);
    await rig.reeve('phase', '4', '--because', 'first installation');
    await first.kill('SIGTERM');
    cpSync(rig.state, rig.at('backup'), { recursive: true });
    const second = await rig.run();
    await rig.reeve('phase', '3', '--because', 'said after the backup');
    await second.kill('SIGTERM');

    rmSync(rig.state, { recursive: true });
    cpSync(rig.at('backup'), rig.state, { recursive: true });
    const third = await rig.run();
    await until('it is paged', () => rig.deliveredUnder(SET_BACK).length > 0);
    expect(rig.deliveredUnder(SET_BACK)).toMatchObject([
      { what: 'trigger', summary: expect.stringMatching(/phase 1.*the journal was set back: it ends at record \d+/) },
    ]);
    expect(await phase(rig)).toBe(1);
    rig.die('news');
    await until('the death is paged', () => rig.delivered.some(({ scope }) => scope === 'channel:news'));
    expect(rig.invocations('news')).toBe(0);

    await third.kill('SIGKILL');
    await rig.run();
    expect(await phase(rig)).toBe(1);
    await rig.reeve('phase', '4', '--because', 'nothing to bring back');
    await until('it is restarted', () => rig.isPlaying('news'));
    expect(readFileSync(rig.at('heads'), 'utf8').trimEnd().split('\n').length).toBeGreaterThan(3);
  }, 120_000);

  it('is not held where its journal is the one that was witnessed', async () => {
    await using rig = await Rig.open({ journal: (own) => `witness: { file: "${own.at('heads')}" }` });
    const first = await rig.run();
    await first.kill('SIGTERM');
    await rig.run();
    expect(await phase(rig)).toBe(4);
  }, 120_000);
});
