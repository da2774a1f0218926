import { describe, expect, it } from 'vitest';
import { EngineStanding } from '../../src/collect/engine_standing.ts';
import { fakeClock } from '../support/fake_clock.ts';

function setUp() {
  const { clock, advance } = fakeClock();
  const said: string[] = [];
  const standing = new EngineStanding('local', {
    clock,
    onFailure: (engine, because) => said.push(`${engine}: ${because}`),
    onAnswer: (engine) => said.push(`${engine} answers`),
  });
  return { standing, said, advance };
}

describe('what is wrong with an engine', () => {
  it('is told once while it stays the same, and so is that it answers again', () => {
    const { standing, said } = setUp();
    for (const because of [undefined, 'EACCES', 'EACCES', undefined, undefined]) standing.told(because);
    expect(said).toEqual(['local: EACCES', 'local answers']);
  });

  it('is told anew when it is another, at most once a minute', async () => {
    const { standing, said, advance } = setUp();
    standing.told('EACCES');
    await advance(59_999);
    standing.told('HTTP 500');
    expect(said).toEqual(['local: EACCES']);
    await advance(1);
    standing.told('HTTP 500');
    expect(said).toEqual(['local: EACCES', 'local: HTTP 500']);
  });

  it('is not told each time by one that fails and answers in turns', async () => {
    const { standing, said, advance } = setUp();
    for (let turn = 0; turn < 70; turn += 1) {
      standing.told(turn % 2 === 0 ? 'EACCES' : undefined);
      await advance(1_000);
    }
    expect(said).toEqual(['local: EACCES', 'local answers', 'local: EACCES', 'local answers']);
  });
});
