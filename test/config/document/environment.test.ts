import { describe, expect, it } from 'vitest';
import { loadText, MINIMAL, problemLines } from '../support.ts';

describe('where values come from', () => {
  it('flags go before REEVE_ variables, these before the file, this before the defaults', () => {
    const text = `${MINIMAL}phase: 0\nhttp: { listen: "127.0.0.1:1001" }\n`;
    const env = { REEVE_LISTEN: '127.0.0.1:1002', REEVE_PHASE: '1', REEVE_LOG_LEVEL: 'warn' };
    expect(loadText(text).config?.http.listen?.port).toBe(1001);
    expect(loadText(text, env).config).toMatchObject({
      http: { listen: { port: 1002 } },
      phase: 1,
      log: { level: 'warn' },
    });
    const { config } = loadText(text, env, { listen: '127.0.0.1:1003' });
    expect(config?.http.listen?.port).toBe(1003);
    expect(config?.origins).toEqual([
      { path: 'http.listen', from: '--listen' },
      { path: 'log.level', from: 'REEVE_LOG_LEVEL' },
      { path: 'phase', from: 'REEVE_PHASE' },
    ]);
  });

  it('checks flags and variables as strictly as the file, and names them', () => {
    const { problems } = loadText(MINIMAL, { REEVE_PHASE: '7', REEVE_LISTEN: 'here' }, { logLevel: 'loud' });
    expect(problems.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
      '--log-level:1 expected fatal, error, warn, info, debug or trace, got "loud"',
      'REEVE_LISTEN:1 expected an address, got "here"',
      'REEVE_PHASE:1 expected at most 4, got the number 7',
    ]);
  });
});

describe('${NAME} in a configuration', () => {
  it('is replaced in text values; a default serves where it is unset or empty; $${ is a plain ${', () => {
    const text = `${MINIMAL}sources:\n  - { id: s, path: "\${A}/\${B:-b}/\${C:-}x/$\${D}" }\n`;
    expect(loadText(text, { A: '/a', B: '' }).config?.sources[0]?.from).toEqual({ kind: 'file', path: '/a/b/x/${D}' });
  });

  it('does not look into what was put in', () => {
    const text = `${MINIMAL}sources: [{ id: s, path: "\${A}" }]\n`;
    expect(loadText(text, { A: '/${B}', B: 'no' }).config?.sources[0]?.from).toEqual({ kind: 'file', path: '/${B}' });
  });

  it('is a problem with its place where it is unset, empty or malformed; once for all its places', () => {
    const text = `version: 1
sources:
  - { id: a, path: "\${LOGS}/a" }
  - { id: b, path: "\${LOGS}/b" }
  - { id: c, path: "\${EMPTY}" }
  - { id: d, path: "\${not a name}" }
  - { id: e, path: "\${OPEN" }
`;
    expect(problemLines(loadText(text, { LOG: 'x', EMPTY: '' }).problems)).toEqual([
      '3:20 sources.0.path: the environment variable LOGS is not set (also for line 4) (did you mean LOG?)',
      '5:20 sources.2.path: the environment variable EMPTY is empty (set it, or give a default: ${EMPTY:-…})',
      '6:20 sources.3.path: expected ${NAME} or ${NAME:-default} (write $${ for a plain ${)',
      '7:20 sources.4.path: expected "}" after "${" (write $${ for a plain ${)',
    ]);
  });

  it('never shows the value of a variable in a problem', () => {
    const text = `${MINIMAL}receivers: [{ id: r, kind: webhook, url: "\${HOOK}" }]\n`;
    const problems = problemLines(loadText(text, { HOOK: 'hunter2' }).problems);
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('hunter2');
  });
});
