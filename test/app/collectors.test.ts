import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCollectors } from '../../src/app/collectors.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Sample } from '../../src/core/sample.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { memoryCheckpoints } from '../../src/journal/checkpoints.ts';
import { aDirectory } from '../collect/support/tailing.ts';

/** The line of an encoder whose source is not there. */
const REFUSED = '[tcp @ 0x55] Connection to tcp://127.0.0.1:9000 failed: Connection refused';

function collect(yaml: string, folder = aDirectory(), { filesMax = 100, isBroken = false, engines = ['e'] } = {}) {
  const file = join(folder, 'reeve.yaml');
  const each = engines.map((id) => `{ id: ${id}, kind: supervisor, socket: /nowhere/${id} }`);
  const base = `version: 1\nengines: [${each.join(', ')}]\n`;
  writeFileSync(file, base + yaml.replaceAll('FOLDER', folder));
  const { configuration, problems } = loadConfiguration({ file, env: {}, flags: { state: folder }, tools: [] });
  expect(problems).toEqual([]);
  const symptoms: Symptom[] = [];
  const samples: Sample[] = [];
  const blind: string[] = [];
  const errors: string[] = [];
  const quiet = { info: () => undefined, warn: () => undefined, error: (_: object, text: string) => errors.push(text) };
  const collectors = createCollectors(configuration!, {
    ...{ clock: systemClock, checkpoints: memoryCheckpoints(), engines: new Map(), log: quiet },
    onSample: (sample) => {
      samples.push(sample);
      if (isBroken) throw new Error('a bug');
    },
    onPolled: () => undefined,
    onLooked: () => undefined,
    onSymptom: (symptom) => {
      symptoms.push(symptom);
      if (isBroken) throw new Error('a bug');
    },
    ...{ onBlind: (text: string) => blind.push(text), filesMax },
  });
  onTestFinished(() => collectors[Symbol.asyncDispose]());
  collectors.start();
  const raised = () => symptoms.map(({ channel, kind, origin }) => [channel, kind, origin]);
  const linesOf = (source: string) =>
    collectors.lines().flatMap((each) => (each.source === source && each.lines > 0 ? [[each.result, each.lines]] : []));
  return { collectors, folder, raised, samples, symptoms, linesOf, blind, errors };
}

const CHANNEL = 'channels: [{ id: news, engine: e }]\n';
const push = (value: object) => Buffer.from(JSON.stringify(value));
const stream = (labels: object, line: string) =>
  push({ streams: [{ stream: labels, values: [[`${Date.now() + 50}000000`, line]] }] });

describe('a line that comes by another way than a file', () => {
  it('is a symptom of the channel in its label, and is counted', async () => {
    const { collectors, raised, linesOf } = collect(CHANNEL);
    expect(collectors.intake.take('loki_json', stream({ channel: 'news' }, REFUSED))).toMatchObject({ lines: 1 });
    await expect.poll(() => raised()).toEqual([['news', 'upstream_unreachable', 'log']]);
    expect(linesOf('intake:loki')).toEqual([['matched', 1]]);
  });

  it('that names its channel only in its text is evidence against no channel for what visitors can cause', async () => {
    const { collectors, raised, linesOf } = collect(CHANNEL);
    collectors.intake.take('loki_json', stream({}, `[channel=news] ${REFUSED}`));
    await expect.poll(() => linesOf('intake:loki')).toEqual([['matched', 1]]);
    expect(raised()).toEqual([]);
  });

  it('an alert is a symptom of origin metric', () => {
    const { collectors, raised } = collect(
      `${CHANNEL}intake: { alerts: [{ alertname: Slow, means: encoder_overload }] }\n`,
    );
    const alerts = [{ status: 'firing', labels: { alertname: 'Slow', channel: 'news' } }];
    expect(collectors.intake.take('alerts', push({ version: '4', alerts }))).toMatchObject({ lines: 1 });
    expect(raised()).toEqual([['news', 'encoder_overload', 'metric']]);
  });

  it('what a command prints is read, as its channel', async () => {
    const script = `sleep 1; echo '${REFUSED}'; exec sleep 60`;
    const { raised } = collect(`${CHANNEL}sources: [{ id: c, command: [sh, -c, "${script}"], channel: news }]\n`);
    await vi.waitFor(() => expect(raised()).toEqual([['news', 'upstream_unreachable', 'log']]), { timeout: 30_000 });
  });
});

describe('a name that two engines give to channels of their own', () => {
  const CHANNELS = `channels:
  - { id: one-news, engine: one, name: news }
  - { id: two-news, engine: two, name: news }
`;
  const died = '2026-07-28 12:00:00,000 INFO exited: news (terminated by SIGSEGV; not expected)\n';

  it('means in the log of an engine its own channel', async () => {
    const folder = aDirectory();
    const names = ['one', 'two', 'other'];
    for (const name of names) writeFileSync(join(folder, `${name}.log`), '');
    const sources = `sources:
  - { id: one, path: FOLDER/one.log, engine: one }
  - { id: two, path: FOLDER/two.log, engine: two }
  - { id: other, path: FOLDER/other.log }
`;
    const { raised, linesOf } = collect(CHANNELS + sources, folder, { engines: ['one', 'two'] });
    for (const name of names) appendFileSync(join(folder, `${name}.log`), died);
    for (const name of names) {
      await expect.poll(() => linesOf(`source:${name}`), { timeout: 30_000 }).toEqual([['matched', 1]]);
    }
    expect(raised().sort()).toEqual([
      ['one-news', 'process_crash', 'log'],
      ['two-news', 'process_crash', 'log'],
    ]);
  });

  it('means nothing where it is pushed without saying whose it is', () => {
    const alerts = [{ status: 'firing', labels: { alertname: 'Slow', channel: 'news' } }];
    const meanings = 'intake: { alerts: [{ alertname: Slow, means: encoder_overload }] }\n';
    const { collectors, raised } = collect(CHANNELS + meanings, undefined, { engines: ['one', 'two'] });
    expect(collectors.intake.take('alerts', push({ version: '4', alerts }))).toMatchObject({ lines: 0 });
    expect(raised()).toEqual([]);
  });
});

describe('a log in another format than text', () => {
  it("is read as Docker writes it, and as ffmpeg's reports", async () => {
    const folder = aDirectory();
    const paths = ['docker', 'progress'].map((name) => join(folder, name));
    for (const path of paths) writeFileSync(path, '');
    const logs = '[{ path: FOLDER/docker, format: docker_json }, { path: FOLDER/progress, format: ffmpeg_progress }]';
    const { raised, samples, linesOf } = collect(`channels: [{ id: news, engine: e, logs: ${logs} }]\n`, folder);
    appendFileSync(paths[0]!, `${JSON.stringify({ log: `${REFUSED}\n`, stream: 'stderr', time: 'x' })}\n`);
    appendFileSync(paths[1]!, 'frame=25\nout_time=00:00:01.000000\nprogress=continue\n');
    await vi.waitFor(() => expect(raised()).toEqual([['news', 'upstream_unreachable', 'log']]), { timeout: 30_000 });
    await vi.waitFor(() => expect(samples).toMatchObject([{ kind: 'progress', channel: 'news', outTimeMs: 1_000 }]), {
      timeout: 30_000,
    });
    expect([linesOf('news'), linesOf('news#2')]).toEqual([[['matched', 1]], [['unmatched', 3]]]);
  });
});

describe('a look whose sample could not be taken', () => {
  it('is logged, and the next ones are taken all the same', async () => {
    const output = 'output: { tcp: "127.0.0.1:1", every: 500ms, stall_after: 2s }';
    const { samples, errors } = collect(`channels: [{ id: news, engine: e, ${output} }]\n`, undefined, {
      isBroken: true,
    });
    await expect.poll(() => samples.length, { timeout: 30_000 }).toBeGreaterThan(1);
    expect(errors[0]).toBe('its look could not be taken: a bug');
  });
});

describe('what is not read any more after a bug', () => {
  const says = 'it is not read any more until Reeve is started again: a bug';

  it('is told a person, once, of files and of what is pushed', async () => {
    const folder = aDirectory();
    const logs = ['one', 'two'].map((name) => join(folder, `${name}.log`));
    for (const path of logs) writeFileSync(path, '');
    const { collectors, blind, symptoms } = collect(
      `channels: [{ id: one, engine: e, logs: [${logs[0]}] }, { id: two, engine: e, logs: [${logs[1]}] }]\n`,
      folder,
      { isBroken: true },
    );
    for (const path of logs) appendFileSync(path, `${REFUSED}\n`);
    await expect.poll(() => symptoms.length, { timeout: 30_000 }).toBe(2);
    expect(blind).toEqual([expect.stringMatching(new RegExp(`^logs: \\S+/(?:one|two)\\.log: ${says}$`))]);
    collectors.intake.take('loki_json', stream({ channel: 'one' }, 'write failed: No space left on device'));
    await expect.poll(() => blind.slice(1), { timeout: 30_000 }).toEqual([`logs: intake:loki: ${says}`]);
  });
});

describe('what other systems report about a channel', () => {
  it('sets the pace by which its silence is judged, where it has no probe of its own', () => {
    const { collectors } = collect(`
channels:
  - { id: news, engine: e }
  - { id: own, engine: e, output: { tcp: "127.0.0.1:1" } }
prometheus:
  - { id: p, url: "http://127.0.0.1:1", every: 20s, queries: [{ query: q, means: up, channel: news }] }
`);
    const [news, own] = collectors.channelSetups;
    expect(news).toMatchObject({ hasOutputProbe: true, outputEveryMs: 20_000, stallAfterMs: 60_000 });
    expect(own).toMatchObject({ hasOutputProbe: true, outputEveryMs: 2_000, stallAfterMs: 6_000 });
  });
});

describe('more log files than this process may open', () => {
  const logs = (folder: string) =>
    `channels: [{ id: news, engine: e, logs: [${folder}/news.log] }, { id: film, engine: e, logs: [${folder}/film.log] }]\n`;

  it('are reported once as a failure of Reeve, with the first file that is not read', () => {
    const folder = aDirectory();
    for (const name of ['news', 'film']) writeFileSync(join(folder, `${name}.log`), '');
    expect(collect(logs(folder), folder, { filesMax: 2 }).blind).toEqual([]);
    const because = 'it is not read: 1 log files are open (raise LimitNOFILE=)';
    expect(collect(logs(folder), folder, { filesMax: 1 }).blind).toEqual([`logs: ${folder}/film.log: ${because}`]);
    expect(collect(logs(folder), folder, { filesMax: 0 }).blind).toHaveLength(1);
  });
});
