import { describe, expect, it } from 'vitest';
import { createReeve } from '../../src/library/reeve.ts';
import { aLibraryFolder, ruleText } from './support.ts';

const contextFrom = (_: string, thrown: unknown) => ({ stderr: String((thrown as Error).message) });

function aBuild(fixedBy: string) {
  const fixes = new Set<string>();
  const runs: string[] = [];
  return {
    fixes,
    runs,
    build: (target: string) => {
      runs.push(target);
      if (!fixes.has(fixedBy)) throw new Error('quota exceeded');
      return `built ${target}`;
    },
  };
}

const FILES = {
  'rules/a.rule.yaml': ruleText('first', { fact: 'quota' }),
  'rules/b.rule.yaml': ruleText('second', { fact: 'quota' }),
  'rules/c.rule.yaml': ruleText('third', { fact: 'quota' }),
};

function aReeve(build: ReturnType<typeof aBuild>) {
  const reeve = createReeve({ directory: aLibraryFolder(FILES) });
  for (const name of ['fix_first', 'fix_second', 'fix_third']) reeve.action(name, () => build.fixes.add(name));
  return reeve;
}

describe('Theow 3.4, mark', () => {
  it('leaves a function that works alone', async () => {
    const reeve = createReeve();
    const double = reeve.mark((x: number) => x * 2, { contextFrom: () => ({}) });
    await expect(double(4)).resolves.toBe(8);
  });

  it('acts and runs the function again, rule by rule, until it works', async () => {
    const build = aBuild('fix_second');
    const reeve = aReeve(build);
    const step = reeve.mark(build.build, { contextFrom, rules: ['first', 'second'] });
    await expect(step('x')).resolves.toBe('built x');
    expect([...build.fixes]).toEqual(['fix_first', 'fix_second']);
    expect(build.runs).toEqual(['x', 'x', 'x']);
    expect(reeve.stats()).toMatchObject({ resolves: 1, top: [{ rule: 'second', successes: 1, failures: 0 }] });
  });

  it('tries at most max_retries rules, each once, and rejects with what the first run threw', async () => {
    const build = aBuild('never');
    const reeve = aReeve(build);
    const step = reeve.mark(build.build, { contextFrom, rules: ['first', 'first'], maxRetries: 2 });
    await expect(step('x')).rejects.toThrow('quota exceeded');
    expect(build.fixes.size).toBe(2);
  });

  it('does not look further than named rules and tags without fallback', async () => {
    const build = aBuild('fix_third');
    const step = aReeve(build).mark(build.build, { contextFrom, rules: ['first'], fallback: false });
    await expect(step('x')).rejects.toThrow('quota exceeded');
    expect([...build.fixes]).toEqual(['fix_first']);
  });

  it('counts an action that throws as a failure of its rule, and goes on', async () => {
    const build = aBuild('fix_second');
    const reeve = createReeve({ directory: aLibraryFolder(FILES) });
    reeve.action('fix_first', () => {
      throw new Error('broken');
    });
    reeve.action('fix_second', () => build.fixes.add('fix_second'));
    const step = reeve.mark(build.build, { contextFrom, rules: ['first', 'second'] });
    await expect(step('x')).resolves.toBe('built x');
  });
});

describe('a mark that cannot help', () => {
  const wrong = (run: unknown, options: unknown) => () => createReeve().mark(run as () => void, options as never);

  it('is refused where it is made, with what was expected and what came', () => {
    expect(wrong('build', { contextFrom })).toThrow("mark: the first argument: a function was expected, got 'build'");
    expect(wrong(() => 1, undefined)).toThrow('mark: options.contextFrom: a function was expected, got undefined');
    expect(wrong(() => 1, { contextFrom: {} })).toThrow('mark: options.contextFrom: a function was expected, got {}');
    const many = { contextFrom, maxRetries: 1.5 };
    expect(wrong(() => 1, many)).toThrow('mark: options.maxRetries: a whole number from 0 was expected, got 1.5');
  });

  it.each([
    ['throws', () => (undefined as unknown as Error).message, 'contextFrom of build: Cannot read'],
    ['gives no facts', () => 'quota', "contextFrom of build: an object with facts was expected, got 'quota'"],
    ['gives nothing', () => undefined, 'contextFrom of build: an object with facts was expected, got undefined'],
  ])(
    'rejects with what the function threw, where its contextFrom %s, and says so in the log',
    async (_, from, said) => {
      const lines: string[] = [];
      const reeve = createReeve({ log: (line) => lines.push(line) });
      const build = (): never => {
        throw new Error('quota exceeded');
      };
      await expect(reeve.mark(build, { contextFrom: from as never })()).rejects.toThrow('quota exceeded');
      expect(lines).toEqual([expect.stringContaining(said)]);
    },
  );
});
