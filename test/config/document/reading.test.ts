import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Reading } from '../../../src/config/document/reading.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { problemLines } from '../support.ts';

const reading = (text: string) => new Reading(parseYaml('/etc/reeve/reeve.yaml', text), '/etc/reeve', {});
const entry = z.object({ id: z.string() });

describe('a configuration that is being read', () => {
  it('counts relative paths from its own folder', () => {
    const { pathOf } = { pathOf: (path: string) => reading('a: 1\n').pathOf(path) };
    expect([pathOf('logs/a'), pathOf('/logs/a')]).toEqual(['/etc/reeve/logs/a', '/logs/a']);
  });

  it('gives the sound entries of a list with their places, and none where there is no list', () => {
    const list = reading('all: [{ id: a }, { id: 7 }, { id: b }]\n').entries('all', entry);
    expect(list).toEqual([
      { path: ['all', 0], value: { id: 'a' } },
      { path: ['all', 2], value: { id: 'b' } },
    ]);
    expect(reading('all: { id: a }\n').entries('all', entry)).toEqual([]);
    expect(reading('a: 1\n').entries('all', entry)).toEqual([]);
  });

  it('knows every id that an entry claims, also of an entry that is not sound', () => {
    expect([...reading('all: [{ id: a, more: [ }] }, { id: 7 }]\n').idsOf('all')]).toEqual([]);
    expect([...reading('all: [{ id: a, odd: 1 }, { id: 7 }, x]\n').idsOf('all')]).toEqual(['a']);
  });

  it('notes an id that stands a second time, with the line of the first', () => {
    const twice = reading('all:\n  - { id: a }\n  - { id: b }\n  - { id: a }\n');
    twice.unique('all');
    expect(problemLines(twice.problems)).toEqual([
      '4:11 all.2.id: the id a stands here a second time (the first is in line 2)',
    ]);
    const once = reading('all: [{ id: a }, { id: b }]\n');
    once.unique('all');
    expect(once.problems).toEqual([]);
  });

  it('gives a part where it is sound, and says whether it is written at all', () => {
    const one = reading('good: { id: a }\nbad: { id: 7 }\n');
    expect([one.part('good', entry), one.part('bad', entry)]).toEqual([{ id: 'a' }, undefined]);
    expect([one.isWritten('bad'), one.isWritten('none')]).toEqual([true, false]);
  });
});
