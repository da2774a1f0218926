import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportOf } from '../../src/backtest/report.ts';
import { textOf } from '../../src/backtest/text.ts';
import { at, FIXTURES, ndjson, recorded, story, tested } from './support.ts';

interface Label {
  readonly fault: string;
  readonly channels: Readonly<Record<string, string>>;
  readonly acts: readonly { readonly tool: string; readonly target: string }[];
}

const captured = readdirSync(FIXTURES).map((name) => {
  const folder = join(FIXTURES, name);
  const label = JSON.parse(readFileSync(join(folder, 'label.json'), 'utf8')) as Label;
  const logs = readdirSync(folder)
    .filter((file) => /\.(err|log)$/.test(file))
    .map((file) => join(folder, file));
  return { name, label, order: { logs, samples: join(folder, 'samples.ndjson') } };
});

describe('a backtest of what real encoders did', () => {
  it.each(captured)('$name: $label.fault', async ({ label, order }) => {
    const { base, failures } = await tested(order);
    expect(failures).toEqual([]);
    const found = base.incidents.map(({ scope, classification }) => [scope.replace('channel:', ''), classification]);
    expect(Object.fromEntries(found)).toEqual(label.channels);
    expect(base.wouldAct.map(({ tool, target }) => ({ tool, target }))).toEqual(label.acts);
  });

  it.each(captured)(
    '$name: the same input gives the same decisions, in whatever order it is named',
    async ({ order }) => {
      const first = await tested(order);
      const again = await tested(order);
      const turned = await tested({ ...order, logs: [...order.logs].reverse() });
      expect(again.base.sha256).toBe(first.base.sha256);
      expect(turned.base.sha256).toBe(first.base.sha256);
      expect(JSON.stringify(reportOf(turned))).toBe(JSON.stringify(reportOf(first)));
    },
  );
});

describe('backtest', () => {
  const samples = [...story('news', { diesAt: 60, backAt: 75, until: 160 })];
  const viewers = [0, 30, 60, 90, 120].map((second) => ({
    kind: 'viewers',
    at: at(second),
    channel: 'news',
    viewers: 40,
  }));
  const err = '2026-07-28T12:00:01.000Z [hls @ 0x1] Opening segment\n';

  it('says what it would have done and whether the record shows that it would have helped', async () => {
    const [log, file] = recorded({ 'news.err': err, 'samples.ndjson': ndjson([...samples, ...viewers]) });
    const { base } = await tested({ logs: [log!], samples: file });
    expect(base.wouldAct).toMatchObject([{ tool: 'restart_channel', target: 'channel:news', helped: true }]);
    expect(base.incidents).toMatchObject([
      { scope: 'channel:news', classification: 'process_crashed', ending: 'resolved' },
    ]);
    expect(base.pages).toEqual([]);
    expect(base.viewerSeconds?.inTrouble).toBeGreaterThan(10 * 40);
    expect(base.startsSeen).toBe(1);
  });

  it('touches no engine and does nothing by itself at phase 0', async () => {
    const [log, file] = recorded({ 'news.err': err, 'samples.ndjson': ndjson(samples) });
    const { base } = await tested({ logs: [log!], samples: file, phase: 0 });
    expect(base.wouldAct).toEqual([]);
    expect(base.pages).toHaveLength(1);
  });

  it('shows a reviewer where two personas decide differently, incident by incident', async () => {
    const [log, file] = recorded({ 'news.err': err, 'samples.ndjson': ndjson(samples) });
    const result = await tested({ logs: [log!], samples: file, against: 'watcher' });
    expect(result.diff).toMatchObject({ same: 0, other: 1, onlyBase: 0, onlyAgainst: 0 });
    const [one] = result.diff!.incidents;
    expect(one?.base.join('\n')).toContain('would do restart_channel on channel:news');
    expect(one?.against.join('\n')).not.toContain('would do');
    const text = textOf(result);
    expect(text).toContain('OTHER');
    expect(text).toContain('- would do restart_channel on channel:news');
  });

  it('says how much later a more patient persona acts, where it decides the same', async () => {
    const late = story('news', { diesAt: 60, backAt: 85, until: 160 });
    const [log, file] = recorded({ 'news.err': err, 'samples.ndjson': ndjson(late) });
    const { diff } = await tested({ logs: [log!], samples: file, against: 'cautious' });
    expect(diff?.incidents[0]?.verdict).toBe('same');
    expect(diff?.incidents[0]?.actsLaterMs).toBeGreaterThan(10_000);
  });

  it('compares two sets of rules', async () => {
    const [log, file, rule] = recorded({
      'news.err': err,
      'samples.ndjson': ndjson(samples),
      'rules/mine.rule.yaml':
        'id: mine\ndescription: a person decides\nclassification: process_crashed\npriority: 1\nthen: [{ escalate: true }]\n',
    });
    const { diff } = await tested({ logs: [log!], samples: file, against: join(rule!, '..') });
    expect(diff?.incidents[0]?.against[0]).toBe('plans escalate, by rule mine');
  });

  it('counts many starts within a minute as a storm, and starts nothing in it', async () => {
    const first = Array.from({ length: 12 }, (_, index) => ({
      kind: 'process',
      at: at(index * 2),
      channel: `c${index}`,
      engine: 'local',
      state: 'running',
      generation: `1:0`,
    }));
    const again = first.map((one, index) => ({ ...one, at: at(40 + index), generation: '2:0' }));
    const dead = [50, 52, 54, 56].map((second) => ({
      ...first[0],
      at: at(second),
      state: 'exited',
      exit_signal: 9,
      generation: '2:0',
    }));
    const [file] = recorded({ 's.ndjson': ndjson([...first, ...again, ...dead]) });
    const { base } = await tested({ samples: file });
    expect(base.storms).toBe(1);
    expect(base.wouldAct).toEqual([]);
    expect(base.pages.some(({ reason }) => reason === 'containment')).toBe(true);
  });

  it('passes a long silence without inventing trouble', async () => {
    const [log] = recorded({ 'news.err': `${err}2026-08-28T12:00:01.000Z [hls @ 0x1] Opening segment\n` });
    const { base, from, to } = await tested({ logs: [log!] });
    expect(base.incidents).toEqual([]);
    expect(to - from).toBe(31 * 86_400_000);
  });

  it('refuses a persona that does not exist and guesses the one that was meant', async () => {
    const [log] = recorded({ 'news.err': err });
    await expect(tested({ logs: [log!], persona: 'cautius' })).rejects.toMatchObject({
      code: 'USAGE',
      hint: 'did you mean cautious?',
    });
    await expect(tested({})).rejects.toMatchObject({ code: 'USAGE' });
    await expect(tested({ logs: ['/nowhere/at.all'] })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
