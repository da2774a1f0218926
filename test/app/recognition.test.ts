import { describe, expect, it } from 'vitest';
import { recognitionFor, type RecognitionDeps } from '../../src/app/recognition.ts';
import type { Configuration } from '../../src/config/load.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { createChannelTable } from '../../src/detect/channel_table.ts';
import { LastLinesOf } from '../../src/detect/last_lines.ts';
import { aSource } from '../detect/catalogue_source.ts';
import { fakeClock } from '../support/fake_clock.ts';

const aPattern = (id: string, symptom: string, text: string) => ({
  ...{ id, symptom, severity: 50, confidence: 0.9, regex: text, match: [text] },
});
const PATTERNS = {
  software: 'test',
  patterns: [
    aPattern('test_refused', 'upstream_unreachable', 'connection to the origin was refused'),
    aPattern('test_stalled', 'stalled_output', 'the output of the muxer stands still'),
  ],
};
const REFUSED = '[error] connection to the origin was refused';
const STALLED = '[error] the output of the muxer stands still';

function recognition(with_: Partial<RecognitionDeps> = {}) {
  const { clock } = fakeClock();
  const symptoms: Symptom[] = [];
  const complaints: string[] = [];
  const patterns = [aSource(PATTERNS)] as unknown as Configuration['patterns'];
  const sight = recognitionFor({ patterns }, createChannelTable(['news']), {
    clock,
    onSymptom: (symptom) => symptoms.push(symptom),
    onSample: () => undefined,
    onNotice: () => undefined,
    onUnrecognised: (text) => complaints.push(text),
    ...with_,
  });
  const read = (text: string, source = 'news', channel: string | undefined = 'news') => {
    const bytes = Buffer.from(`${text}\n`);
    const moment = { at: clock.now(), monoMs: clock.monotonicMs(), backlog: false };
    return sight.detector.accept({ source, channel, ...moment, bytes, start: 0, end: bytes.length });
  };
  return { ...sight, read, symptoms, complaints, kinds: () => symptoms.map(({ kind }) => kind) };
}

describe('a line that a pattern fits', () => {
  it('is a symptom', () => {
    const { read, kinds } = recognition();
    expect(read(REFUSED)).toMatchObject({ matched: 1 });
    expect(kinds()).toEqual(['upstream_unreachable']);
  });

  it('is none where it only repeats what a visitor of a shared server asked for', () => {
    const { read, kinds } = recognition();
    read(`[channel=news] ${REFUSED}`, 'source:web', undefined);
    expect(kinds()).toEqual([]);
    read(`[channel=news] ${STALLED}`, 'source:web', undefined);
    expect(kinds()).toEqual(['stalled_output']);
  });
});

describe('a pattern', () => {
  it('on trial raises symptoms, which are marked as on trial', () => {
    const { read, symptoms } = recognition({ trustIn: (id) => (id === 'test_refused' ? 'trial' : 'full') });
    read(REFUSED);
    read(STALLED);
    expect(symptoms.map(({ onTrial }) => onTrial)).toEqual([true, undefined]);
  });

  it('that is not trusted at all raises no symptom', () => {
    const { read, kinds } = recognition({ trustIn: (id) => (id === 'test_refused' ? 'none' : 'full') });
    expect(read(REFUSED)).toMatchObject({ unmatched: 1 });
    read(STALLED);
    expect(kinds()).toEqual(['stalled_output']);
  });
});

describe('a complaint that no pattern fits', () => {
  it('is handed on with its secrets cut out, and is remembered as a blind spot', () => {
    const { read, complaints, kinds } = recognition();
    read('[error] zorble desync: password=hunter42');
    expect(complaints).toEqual([expect.stringContaining('zorble desync')]);
    expect(complaints[0]).not.toContain('hunter42');
    expect(kinds()).toEqual([]);
  });
});

describe('the last lines of a channel', () => {
  it('are kept over a reload, which makes another recognition', () => {
    const lastLines = new LastLinesOf();
    recognition({ lastLines }).read('one');
    recognition({ lastLines }).read('two');
    expect(lastLines.of('news')?.lines).toEqual(['one', 'two']);
  });

  it('that cannot be read as a whole are reported, and stop no judgement', () => {
    const failures: string[] = [];
    const lastLines = {
      take: () => undefined,
      of: () => {
        throw new Error('a bug');
      },
    };
    const { readLog } = recognition({
      lastLines: lastLines as unknown as LastLinesOf,
      onFailure: (because) => failures.push(because),
    });
    expect(readLog('news')).toBeUndefined();
    expect(failures).toEqual(['the log of news could not be read as a whole: a bug']);
  });
});
