import { describe, expect, it } from 'vitest';
import { addInsights, addMemory } from '../../../src/cli/commands/memory.ts';
import type { MemoryAccess, RebuiltShown } from '../../../src/cli/memory_access.ts';
import { createMemoryApi } from '../../../src/memory/api.ts';
import { aMemory, incidentDrafts } from '../../memory/support.ts';
import { type RunOptions, ran } from '../running.ts';

const REBUILT: RebuiltShown = {
  ...{ entries: 24, hash: 'a'.repeat(64), hashBefore: 'a'.repeat(64), replaced: true, insightsKept: 2 },
};

/** The memory of two incidents, an hour apart, and how often it was opened and not closed. */
function aCommandLine(rebuilt: Partial<RebuiltShown> = {}) {
  const { live, reads, advance } = aMemory();
  let left = 0;
  const access: MemoryAccess = {
    open: async () => {
      left += 1;
      return {
        ...{ face: createMemoryApi(reads), resolve: (prefix: string) => reads.resolve(prefix) },
        [Symbol.dispose]: () => {
          left -= 1;
        },
      };
    },
    rebuild: async () => ({ ...REBUILT, ...rebuilt }),
  };
  const run = (line: readonly string[], options?: RunOptions) =>
    ran(
      (program, cli) => {
        addMemory(program, cli, access);
        addInsights(program, cli, access);
      },
      line,
      options,
    );
  const remember = async () => {
    live(incidentDrafts({ id: 'inc-first' }));
    await advance(3_600_000);
    live(incidentDrafts({ id: 'inc-second', cured: false }));
  };
  return { run, remember, leftOpen: () => left };
}
async function remembering() {
  const { remember, ...line } = aCommandLine();
  await remember();
  return line;
}

const documents = (out: string) =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { id: string });
const incidents = ['memory', 'list', '--type', 'incident'];

describe('reeve memory list', () => {
  it('is a table of the newest nodes, and closes the memory', async () => {
    const { run, leftOpen } = await remembering();
    const [head, ...rows] = (await run(incidents)).out.trim().split('\n');
    expect(head).toMatch(/^number +when +type +id +what$/);
    expect(rows.map((row) => /inc-\w+/.exec(row)?.[0])).toEqual(['inc-second', 'inc-first']);
    expect(rows[1]).toContain('2026-01-01 00:00:00  incident');
    expect(leftOpen()).toBe(0);
  });

  it('is one document a line with --json', async () => {
    const { run } = await remembering();
    expect(documents((await run(incidents, { json: true })).out).map(({ id }) => id)).toEqual([
      'inc-second',
      'inc-first',
    ]);
  });

  it.each([
    [['--since', '2026-01-01T01:00:00Z'], ['inc-second']],
    [['--until', '2026-01-01T01:00:00Z'], ['inc-first']],
    [['--limit', '1'], ['inc-second']],
    [['--since', '2026-01-01T01:00:01Z'], []],
  ])('with %j holds %j', async (flags, ids) => {
    const { run } = await remembering();
    const { out } = await run([...incidents, ...flags], { json: true });
    expect(documents(out).map(({ id }) => id)).toEqual(ids);
  });

  it('goes on below the last number of the page before, which may be past ten thousand', async () => {
    const { run } = await remembering();
    const [row] = (await run([...incidents, '--limit', '1'])).out.split('\n').slice(1);
    const page = async (before: string) =>
      documents((await run([...incidents, '--before', before], { json: true })).out);
    expect((await page(/^\d+/.exec(row!)![0])).map(({ id }) => id)).toEqual(['inc-first']);
    expect(await page('10001')).toHaveLength(2);
  });

  it.each([
    [['--type', 'weather'], '--type: there is no type weather'],
    [['--since', 'noon'], '--since: a time such as'],
    [['--until', 'noon'], '--until: a time such as'],
    [['--limit', '0'], '--limit: a number from 1 to 10000'],
    [['--limit', '10001'], '--limit: a number from 1 to 10000'],
    [['--limit', '1.5'], 'got 1.5'],
    [['--before', '0'], '--before: a number from 1'],
  ])('refuses %j, and closes the memory', async (flags, why) => {
    const { run, leftOpen } = await remembering();
    await expect(run(['memory', 'list', ...flags])).rejects.toThrow(why);
    expect(leftOpen()).toBe(0);
  });

  it('takes the limit of ten thousand', async () => {
    const { run } = await remembering();
    expect(documents((await run([...incidents, '--limit', '10000'], { json: true })).out)).toHaveLength(2);
  });
});

describe('reeve memory get', () => {
  it('shows the one node whose id begins so, with a page of its steps', async () => {
    const { run } = await remembering();
    const { out } = await run(['memory', 'get', 'inc-fi']);
    expect(out).toMatch(/^incident inc-first {2}2026-01-01 00:00:00\n/);
    const steps = async (flags: readonly string[]) => {
      const shown = await run(['memory', 'get', 'inc-fi', ...flags], { json: true });
      return (JSON.parse(shown.out) as { steps: { id: string }[] }).steps.map(({ id }) => id);
    };
    const all = await steps([]);
    expect(all.length).toBeGreaterThan(2);
    expect(await steps(['--offset', '1', '--limit', '1'])).toEqual([all[1]]);
  });

  it('refuses what begins several ids, and what begins none', async () => {
    const { run } = await remembering();
    await expect(run(['memory', 'get', 'inc-'])).rejects.toThrow('beginning of several: ');
    await expect(run(['memory', 'get', 'inc-third'])).rejects.toThrow('there is no node inc-third');
  });
});

describe('reeve memory stat', () => {
  it('counts nodes, edges and insights, and says how far the journal was read', async () => {
    const { run } = await remembering();
    const { out } = await run(['memory', 'stat']);
    expect(out).toMatch(/^incident +2$/m);
    expect(out).toMatch(/^insights active +2$/m);
    expect(out).toMatch(/^about +\d+$/m);
    expect(out).toMatch(/read up to entry 24, \d+ KiB\n$/);
    expect(JSON.parse((await run(['memory', 'stat'], { json: true })).out)).toMatchObject({ through_seq: 24 });
  });
});

describe('what would be looked for and recalled', () => {
  it('is a plan of ids, terms and concepts, none where there is none', async () => {
    const { run } = await remembering();
    const { out } = await run(['memory', 'plan', 'why did inc-first fail with HTTP 403?']);
    expect(out).toMatch(/^ids: inc-first$/m);
    expect(out).toMatch(/^concepts: .*error:http_403/m);
    expect((await run(['memory', 'plan', 'the?'])).out).toMatch(/^ids: none$/m);
    const plan = JSON.parse((await run(['memory', 'plan', '403'], { json: true })).out) as object;
    expect(Object.keys(plan)).toEqual(['ids', 'terms', 'concepts']);
  });

  it('is one line for each memory with its id, or that nothing is recalled', async () => {
    const { run } = await remembering();
    expect((await run(['memory', 'probe', 'inc-first'])).out).toMatch(/^\[inc-first\] incident /);
    expect((await run(['memory', 'probe', 'xylophone'])).out).toBe('nothing is recalled\n');
    const shown = JSON.parse((await run(['memory', 'probe', 'inc-first'], { json: true })).out) as object;
    expect(shown).toMatchObject({ plan: { ids: ['inc-first'] }, recalled: [{ id: 'inc-first' }] });
  });
});

describe('reeve memory walk', () => {
  it('begins at the node that is named, and closes the memory at the end of the input', async () => {
    const { run, leftOpen } = await remembering();
    expect((await run(['memory', 'walk', 'inc-first'])).out).toMatch(/^incident inc-first/);
    expect(leftOpen()).toBe(0);
  });
});

describe('reeve memory rebuild', () => {
  const rebuilt = (with_: Partial<RebuiltShown>, options?: RunOptions) =>
    aCommandLine(with_).run(['memory', 'rebuild'], options);

  it('says that the memory is as before', async () => {
    const { out, code } = await rebuilt({});
    expect([out, code]).toEqual(['24 entries, 2 insights kept, aaaaaaaaaaaa (as before)\n', 0]);
  });

  it('ends with 1 where it is another, in JSON too', async () => {
    expect(await rebuilt({ hashBefore: 'b'.repeat(64) })).toMatchObject({
      ...{ out: expect.stringContaining('(NOT as before)'), code: 1 },
    });
    const { out, code } = await rebuilt({ hashBefore: 'b'.repeat(64) }, { json: true });
    expect([JSON.parse(out), code]).toMatchObject([{ insights_kept: 2, same: false }, 1]);
  });

  it('compares with nothing where there was none before', async () => {
    const { out, code } = await rebuilt({ hashBefore: undefined });
    expect([out, code]).toEqual([expect.stringContaining('(there was none before)'), 0]);
    expect(JSON.parse((await rebuilt({ hashBefore: undefined }, { json: true })).out)).toMatchObject({ same: true });
  });

  it('says where a daemon keeps the file that was left as it is', async () => {
    expect((await rebuilt({ replaced: false })).out).toContain('its file was left as it is');
  });
});

describe('reeve insights', () => {
  it('are a table, each with its state and what contradicts it', async () => {
    const { run, leftOpen } = await remembering();
    const [head, ...rows] = (await run(['insights'])).out.trim().split('\n');
    expect(head).toMatch(/^id +state +strength +since +what$/);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/^ins-\w+ +active +1 .*\(contradicted by ins-\w+\)$/);
    expect(leftOpen()).toBe(0);
  });

  it.each([
    [['--state', 'active'], 2],
    [['--state', '1'], 2],
    [['--state', 'archived'], 0],
    [['--state', '0'], 0],
    [['--limit', '1'], 1],
    [['--offset', '1'], 1],
    [['--concept', 'http_403'], 2],
    [['--concept', 'http_404'], 0],
  ])('with %j are %i', async (flags, count) => {
    const { run } = await remembering();
    const { out } = await run(['insights', ...flags], { json: true });
    expect((JSON.parse(out) as { insights: unknown[] }).insights).toHaveLength(count);
  });

  it('say that there are none, and refuse a state that there is not', async () => {
    expect((await aCommandLine().run(['insights'])).out).toBe('no insights\n');
    await expect(aCommandLine().run(['insights', '--state', 'gone'])).rejects.toThrow(
      'active or archived was expected',
    );
  });

  it('take a state with a slash in it for the directory, and keep the state that was given before', async () => {
    const { run } = await remembering();
    const { out } = await run(['insights', '--state', 'archived', '--state', '/var/lib/reeve']);
    expect(out).toBe('no insights\n');
    expect((await run(['insights', '--state', '/var/lib/reeve'])).out).toContain('active');
  });
});

describe('reeve reflect', () => {
  const reflected = (answer: object, options: RunOptions = {}) =>
    aCommandLine().run(['reflect'], { answers: { '/api/v1/reflect': answer }, ...options });

  it('asks the daemon, and says what came of it', async () => {
    const { out, code, posted } = await reflected({ ok: true, said: 'merged 2 into 1' });
    expect([out, code, posted]).toEqual(['merged 2 into 1\n', 0, [{ path: '/api/v1/reflect', body: {} }]]);
  });

  it('ends with 1 where the daemon does not, in JSON too', async () => {
    const refusal = { ok: false, because: 'it is stopping' };
    expect(await reflected(refusal)).toMatchObject({ out: 'it is stopping\n', code: 1 });
    const { out, code } = await reflected(refusal, { json: true });
    expect([JSON.parse(out), code]).toEqual([refusal, 1]);
  });
});
