import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Change, watchConfiguration } from '../../src/config/reload.ts';
import { systemClock } from '../../src/core/clock.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aFolder, problemLines, writeInto } from './support.ts';
import { CONFIG, FILES, loaded, loadFrom, watching } from './reloaded.ts';
import { persona } from './sound.ts';

describe('watchConfiguration', () => {
  it('swaps in an edit of a persona', async () => {
    const { cwd, reloader, change } = watching();
    writeInto(cwd, 'config/personas/mine.yaml', persona('mine', 2));
    expect(await change(0)).toMatchObject({ ok: true, applied: ['personas'], needsRestart: [] });
    expect(reloader.current().personas[0]?.restart_cap).toBe(2);
  });

  it('takes a pattern that is promoted into a folder which was not there before', async () => {
    const shipped = { ...FILES } as Record<string, string>;
    delete shipped['config/patterns/p.yaml'];
    const { cwd, change } = watching(systemClock, aFolder(shipped));
    mkdirSync(join(cwd, 'config/patterns.d'));
    const known = 'software: taught\npatterns:\n  - id: taught_x\n    symptom: segment_missing\n';
    writeInto(
      cwd,
      'config/patterns.d/x.yaml',
      `${known}    confidence: 0.8\n    regex: reader adrift\n    match: [reader adrift]\n`,
    );
    expect(await change(0)).toMatchObject({ ok: true, applied: ['patterns'] });
  });

  it('takes a rule that is promoted into a folder which was not there before', async () => {
    const { cwd, change, reloader } = watching(systemClock, aFolder({ ...FILES }));
    mkdirSync(join(cwd, 'config/rules.d'));
    const text = 'id: promoted\ndescription: It passes.\nclassification: item_churn\nthen:\n  - escalate: true\n';
    writeInto(cwd, 'config/rules.d/promoted.rule.yaml', text);
    expect(await change(0)).toMatchObject({ ok: true, applied: ['rules'] });
    expect(reloader.current().rules.map(({ id }) => id)).toContain('promoted');
  });

  it('keeps the last good set when an edit is bad, says why, and takes the repair', async () => {
    const { cwd, reloader, change } = watching();
    writeInto(cwd, 'config/personas/mine.yaml', persona('mine').replace('low', 'lo'));
    const bad = await change(0);
    expect(bad.ok).toBe(false);
    expect(problemLines(reloader.problems())[0]).toContain('risk_tolerance');
    expect(reloader.current().personas[0]?.risk_tolerance).toBe('low');

    writeInto(cwd, 'config/personas/mine.yaml', persona('mine').replace('low', 'high'));
    expect((await change(1)).ok).toBe(true);
    expect(reloader.problems()).toEqual([]);
    expect(reloader.current().personas[0]?.risk_tolerance).toBe('high');
  });

  it('says what waits for the next start until the edit is taken back, also while a later one is bad', async () => {
    const { cwd, reloader } = watching();
    expect(reloader.waiting()).toEqual([]);
    writeInto(cwd, 'config/reeve.yaml', `${CONFIG}  - { id: c, engine: e }\n`);
    reloader.reload();
    expect(reloader.waiting()).toEqual(['channels']);
    writeInto(cwd, 'config/reeve.yaml', 'nonsense');
    expect(reloader.reload().ok).toBe(false);
    expect(reloader.waiting()).toEqual(['channels']);
    writeInto(cwd, 'config/reeve.yaml', CONFIG);
    reloader.reload();
    expect(reloader.waiting()).toEqual([]);
  });

  it('swaps all or nothing: a good rule waits for the bad persona beside it', async () => {
    const { cwd, reloader, change } = watching();
    writeInto(cwd, 'config/personas/mine.yaml', 'nonsense');
    writeInto(cwd, 'config/rules/s.rule.yaml', FILES['config/rules/r.rule.yaml'].replace('id: r', 'id: s'));
    expect((await change(0)).ok).toBe(false);
    expect(reloader.current().rules.map(({ id }) => id)).toEqual(['r']);
  });

  it('sees a file that is replaced by a rename, as editors do', async () => {
    const { cwd, change } = watching();
    writeInto(cwd, 'config/rules/.new', FILES['config/rules/r.rule.yaml'].replace('description: d', 'description: e'));
    renameSync(join(cwd, 'config/rules/.new'), join(cwd, 'config/rules/r.rule.yaml'));
    expect(await change(0)).toMatchObject({ ok: true, applied: ['rules'] });
  });

  it('sees a swapped link, as Kubernetes mounts its volumes', async () => {
    const cwd = aFolder({
      'volume/..v1/mine.yaml': persona('mine'),
      'volume/..v2/mine.yaml': persona('mine', 1),
      ...FILES,
      'config/reeve.yaml': `${CONFIG}personas: ../volume\n`,
    });
    const data = join(cwd, 'volume/..data');
    symlinkSync('..v1', data);
    symlinkSync('..data/mine.yaml', join(cwd, 'volume/mine.yaml'));
    const { reloader, change } = watching(systemClock, cwd);
    symlinkSync('..v2', `${data}_new`);
    renameSync(`${data}_new`, data);
    expect((await change(0)).ok).toBe(true);
    expect(reloader.current().personas[0]?.restart_cap).toBe(1);
  });

  it('waits for the end of a burst: many writes, one change', async () => {
    const { cwd, changes, change } = watching();
    for (let cap = 1; cap <= 9; cap += 1) writeInto(cwd, 'config/personas/mine.yaml', persona('mine', cap));
    await change(0);
    await expect.poll(() => changes).toHaveLength(1);
    expect(changes[0]?.configuration.personas[0]?.restart_cap).toBe(9);
  });

  it('sees within one poll what no event announced, and is silent when nothing changed', async () => {
    const { clock, advance } = fakeClock();
    // The folder of the rules is away when the watch begins, so no event can come from it.
    const cwd = aFolder(FILES);
    const current = loaded(cwd);
    renameSync(join(cwd, 'config/rules'), join(cwd, 'config/away'));
    const changes: Change[] = [];
    using reloader = watchConfiguration({
      clock,
      load: () => loadFrom(cwd),
      current,
      onChange: (change) => changes.push(change),
    });
    await advance(29_999);
    expect(changes).toEqual([]);
    renameSync(join(cwd, 'config/away'), join(cwd, 'config/rules'));
    writeFileSync(join(cwd, 'config/rules/r.rule.yaml'), FILES['config/rules/r.rule.yaml'].replace('id: r', 'id: s'));
    await advance(1);
    expect(changes).toHaveLength(1);
    await advance(300_000);
    expect(changes).toHaveLength(1);
    expect(reloader.current().rules[0]?.id).toBe('s');
  });

  it('keeps the last good set when the file itself goes away', () => {
    const { cwd, reloader } = watching(fakeClock().clock);
    rmSync(join(cwd, 'config/reeve.yaml'));
    expect(reloader.reload().ok).toBe(false);
    expect(reloader.current().config.channels).toHaveLength(2);
  });

  it.each(['rules', 'patterns', 'personas'])('takes nothing shipped when the own folder of %s goes away', (name) => {
    const own = { ...FILES, 'config/personas/mine.yaml': persona('system_admin', 1) };
    const cwd = aFolder({ ...own, 'config/reeve.yaml': CONFIG.replace('persona: mine\n', '') });
    const { reloader } = watching(fakeClock().clock, cwd);
    const { rules, patterns, personas } = reloader.current();
    renameSync(join(cwd, 'config', name), join(cwd, 'config/away'));
    expect(reloader.reload().ok).toBe(false);
    expect(problemLines(reloader.problems())).toEqual([
      expect.stringMatching(new RegExp(`config/${name} is gone.*\\(put it back`)),
    ]);
    expect(reloader.current()).toMatchObject({ rules, patterns, personas });
    renameSync(join(cwd, 'config/away'), join(cwd, 'config', name));
    expect(reloader.reload().ok).toBe(true);
  });

  it('takes the shipped folder where the file names its own no longer', () => {
    const cwd = aFolder({ ...FILES, 'own/r.rule.yaml': FILES['config/rules/r.rule.yaml'] });
    rmSync(join(cwd, 'config/rules'), { recursive: true });
    writeInto(cwd, 'config/reeve.yaml', `${CONFIG}rules: ../own\n`);
    const { reloader } = watching(fakeClock().clock, cwd);
    writeInto(cwd, 'config/reeve.yaml', CONFIG);
    expect(reloader.reload()).toMatchObject({ ok: true, applied: ['rules'] });
  });

  it('goes on with the last good set where a folder became a link to itself', async () => {
    const { clock, advance } = fakeClock();
    const { cwd, reloader, changes } = watching(clock);
    rmSync(join(cwd, 'config/rules'), { recursive: true });
    symlinkSync('rules', join(cwd, 'config/rules'));
    await advance(30_000);
    expect(changes.map(({ ok }) => ok)).toEqual([false]);
    expect(reloader.current().rules.map(({ id }) => id)).toEqual(['r']);
  });

  it('reloads at once when asked, changed or not', () => {
    const { reloader, changes } = watching(fakeClock().clock);
    expect(reloader.reload()).toMatchObject({ ok: true, applied: [], needsRestart: [] });
    expect(changes).toHaveLength(1);
  });

  it('reports nothing more once it is closed', async () => {
    const { clock, advance } = fakeClock();
    const { cwd, reloader, changes } = watching(clock);
    reloader[Symbol.dispose]();
    writeInto(cwd, 'config/personas/mine.yaml', persona('mine', 3));
    await advance(60_000);
    expect(changes).toEqual([]);
  });
});
