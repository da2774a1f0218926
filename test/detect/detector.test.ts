import { beforeEach, describe, expect, it } from 'vitest';
import type { Chunk, Notice } from '../../src/core/chunk.ts';
import type { ProgressSample } from '../../src/core/sample.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import type { Complaint } from '../../src/detect/templates/blind_spots.ts';
import { createChannelTable } from '../../src/detect/channel_table.ts';
import { createDetector, type Detector } from '../../src/detect/detector.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aCatalogue } from './catalogue_source.ts';

const catalogue = aCatalogue([
  { id: 'refused', regex: 'Connection refused' },
  { id: 'torn', regex: 'packet corrupt', symptom: 'corrupt_input' },
  { id: 'ordinary', regex: 'Connection refused by a viewer', symptom: 'benign_noise', severity: 90 },
  { id: 'quiet', regex: 'deprecated pixel format', symptom: 'benign_noise' },
]);
const notices = aCatalogue(
  [
    {
      id: 'spawned',
      regex: "spawned: '(?P<channel>\\w+)' with pid (?P<pid>\\d+)",
      match: ["spawned: 'a' with pid 1"],
      symptom: 'benign_noise',
    },
  ],
  { notice: 'started' },
);

let symptoms: Symptom[];
let progress: ProgressSample[];
let heard: Notice[];
let complaints: Complaint[];
let monoMs: number;
let detector: Detector;

const build = (which = catalogue): Detector =>
  createDetector({
    catalogue: which,
    clock: fakeClock().clock,
    channels: createChannelTable(['news', 'sport'], [{ name: 'ch-02', channel: 'sport' }]),
    clean: (text) => text.replaceAll(/token=\w+/g, 'token=[redacted]'),
    parseProgress: (record) => {
      const time = /time=(\d+)/.exec(record)?.[1];
      return time === undefined ? undefined : { outTimeMs: Number(time), frame: undefined };
    },
    onSymptom: (symptom) => symptoms.push(symptom),
    onProgress: (sample) => progress.push(sample),
    onNotice: (notice) => heard.push(notice),
    onUnrecognised: (complaint) => complaints.push(complaint),
  });

const feed = (text: string, rest: Partial<Chunk> = {}) => {
  const bytes = Buffer.from(`....${text}....`);
  const range = { bytes, start: 4, end: bytes.length - 4 };
  return detector.accept({ source: 'log', channel: 'news', backlog: false, at: 1000, monoMs, ...range, ...rest });
};

beforeEach(() => {
  [symptoms, progress, heard, complaints] = [[], [], [], []];
  monoMs = 1_000_000;
  detector = build();
});

describe('counting', () => {
  it('accounts for every line', () => {
    const count = feed('Connection refused\nfine\r\nframe=1 time=1\rdeprecated pixel format\n');
    expect(count).toEqual({ lines: 3, matched: 1, unmatched: 2, progress: 1 });
  });

  it('reads what was written in colours as it reads without, progress included', () => {
    const [red, plain] = ['\x1b[1;31m', '\x1b[0m'];
    const count = feed(`${red}Connect${plain}ion refused${plain}\nfine\nframe=1 ${red}time=7${plain}\r`);
    expect(count).toEqual({ lines: 2, matched: 1, unmatched: 1, progress: 1 });
    expect(symptoms).toMatchObject([{ kind: 'upstream_unreachable', evidence: [{ text: 'Connection refused' }] }]);
    expect(progress).toMatchObject([{ channel: 'news', outTimeMs: 7 }]);
  });

  it('counts a backlog and draws nothing from it', () => {
    expect(feed('Connection refused\ntime=5\r', { backlog: true }).matched).toBe(1);
    expect([symptoms, progress]).toEqual([[], []]);
    expect(detector.count('news', 'upstream_unreachable')).toBe(0);
  });

  it('keeps totals by channel and pattern', () => {
    feed('Connection refused\nConnection refused\n');
    feed('Connection refused [channel=sport]\nConnection refused by none\n', { channel: undefined });
    expect(detector.totals()).toMatchObject({
      unowned: 1,
      patterns: [
        { channel: 'news', pattern: 'refused', count: 2 },
        { channel: 'sport', pattern: 'refused', count: 1 },
      ],
    });
  });
});

describe('symptoms', () => {
  it('is raised at once, with redacted evidence', () => {
    feed('Connection refused token=abc\n');
    expect(symptoms).toEqual([
      expect.objectContaining({
        channel: 'news',
        kind: 'upstream_unreachable',
        origin: 'log',
        countInWindow: 1,
        windowMs: 60_000,
        pattern: 'refused',
        evidence: [{ source: 'log', text: 'Connection refused token=[redacted]' }],
      }),
    ]);
  });

  it('is raised again after a second, not before, with the count and at most three lines', () => {
    feed('Connection refused 1\n'.repeat(50));
    monoMs += 999;
    feed('Connection refused 2\n');
    expect(symptoms).toHaveLength(1);
    monoMs += 1;
    feed('Connection refused 3\n');
    expect(symptoms).toHaveLength(2);
    expect(symptoms[1]).toMatchObject({ countInWindow: 52 });
    expect(symptoms[1]!.evidence).toHaveLength(3);
    expect(symptoms[1]!.evidence.at(-1)!.text).toBe('Connection refused 3');
  });

  it('waits for its threshold', () => {
    feed('packet corrupt\npacket corrupt\n');
    expect(symptoms).toEqual([]);
    feed('packet corrupt\n');
    expect(symptoms).toEqual([expect.objectContaining({ kind: 'corrupt_input', countInWindow: 3 })]);
  });

  it('is not raised by what is harmless', () => {
    feed('Connection refused by a viewer\ndeprecated pixel format used\n');
    expect(symptoms).toEqual([]);
    expect(detector.totals().harmless).toBe(1);
  });

  it('belongs to the channel that the line names where the file has none', () => {
    feed("Connection refused: '/live/sport/seg1.ts'\nConnection refused [channel=ch-02]\n", { channel: undefined });
    monoMs += 1000;
    feed('{"msg":"Connection refused","channel":"news"}\nConnection refused [channel=unheard-of]\n', {
      channel: undefined,
    });
    expect(symptoms.map(({ channel }) => channel)).toEqual(['sport', 'news']);
    expect(detector.totals().unowned).toBe(1);
  });

  it('quotes nothing that is older than what it counts', () => {
    feed('Connection refused 1\nConnection refused 2\nConnection refused 3\n');
    monoMs += 59_999;
    feed('Connection refused 4\n');
    expect(symptoms.at(-1)!.evidence.map(({ text }) => text.at(-1))).toEqual(['2', '3', '4']);
    feed('Connection refused 5\nConnection refused 6\n');
    monoMs += 60_000;
    feed('Connection refused 7\n');
    expect(symptoms.at(-1)!.evidence.map(({ text }) => text.at(-1))).toEqual(['7']);
  });

  it('quotes the newest lines where the older ones never reached its threshold', () => {
    feed('packet corrupt 1\npacket corrupt 2\n');
    monoMs += 3_600_000;
    feed('packet corrupt 3\npacket corrupt 4\npacket corrupt 5\n');
    expect(symptoms.map(({ evidence }) => evidence.map(({ text }) => text.at(-1)))).toEqual([['3', '4', '5']]);
  });

  it('says of each line that it quotes which log it stood in', () => {
    feed('Connection refused 1\nConnection refused 2\n');
    monoMs += 1_000;
    feed('Connection refused 3\n', { source: 'news#2' });
    expect(symptoms.at(-1)!.evidence).toEqual([
      { source: 'log', text: 'Connection refused 2' },
      { source: 'news#2', text: 'Connection refused 3' },
    ]);
  });

  it('quotes a bounded part of a long line', () => {
    feed(`${'x'.repeat(5000)} Connection refused ${'é'.repeat(5000)}\n`);
    const { text } = symptoms[0]!.evidence[0]!;
    expect(text).toContain('Connection refused');
    expect(text.length).toBeLessThanOrEqual(400);
  });
});

describe('what visitors of a shared server ask for', () => {
  const visit = (lines: number) =>
    feed('[channel=news] Connection refused\n'.repeat(lines), { source: 'source:web', channel: undefined });

  it('is counted as matched, and is no symptom of the channel', () => {
    expect(visit(3)).toMatchObject({ lines: 3, matched: 3 });
    expect(symptoms).toEqual([]);
    expect(detector.count('news', 'upstream_unreachable')).toBe(0);
  });

  it('neither holds back nor adds to what the log of the channel says', () => {
    visit(100);
    monoMs += 500;
    feed('Connection refused\n');
    expect(symptoms).toEqual([expect.objectContaining({ countInWindow: 1 })]);
    expect(symptoms[0]!.evidence).toEqual([{ source: 'log', text: 'Connection refused' }]);
  });

  it('is believed of what no visitor can cause', () => {
    feed('[channel=news] packet corrupt\n'.repeat(3), { source: 'source:web', channel: undefined });
    expect(symptoms).toEqual([expect.objectContaining({ kind: 'corrupt_input', countInWindow: 3 })]);
  });
});

describe('progress', () => {
  it('reports the newest of a chunk, at most twice a second', () => {
    feed('time=1\rtime=2\rtime=3\r');
    monoMs += 499;
    feed('time=4\r');
    expect(progress.map(({ outTimeMs }) => outTimeMs)).toEqual([3]);
    monoMs += 1;
    feed('time=5\r');
    expect(progress.map(({ outTimeMs }) => outTimeMs)).toEqual([3, 5]);
  });

  it('is taken from no log that several share, and from nothing that others pushed', () => {
    feed('[channel=news] time=1\n[channel=sport] time=7\n', { channel: undefined });
    feed('time=1\n', { pushed: true });
    expect(progress).toEqual([]);
    feed('time=2\n');
    expect(progress).toHaveLength(1);
  });
});

describe('notices', () => {
  it('name the channel and the process', () => {
    detector = build(notices);
    feed("INFO spawned: 'sport' with pid 4127\nINFO spawned: 'stranger' with pid 1\n", { channel: undefined });
    expect(heard).toEqual([{ kind: 'started', channel: 'sport', pid: 4127, monoMs }]);
  });
});

describe('complaints', () => {
  it('hands over what no pattern fits, cleaned, and at most 200 a second', () => {
    feed('widget failed token=abc\n'.repeat(300));
    expect(complaints).toHaveLength(200);
    expect(complaints[0]).toEqual({ text: 'widget failed token=[redacted]', channel: 'news', at: 1000, monoMs });
    expect(detector.totals().unsampled).toBe(100);
    monoMs += 1000;
    feed('widget failed\n');
    expect(complaints).toHaveLength(201);
  });
});
