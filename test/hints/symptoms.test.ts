import { describe, expect, it } from 'vitest';
import { symptomOf } from '../../src/hints/symptoms.ts';

describe('ROSClaw-How, source layout, error_normalizer: ten labels', () => {
  it.each([
    ['E-STOP pressed at cell 3', 'Emergency_Stop'],
    ['collision with the fixture', 'Collision_Detected'],
    ['joint limit of axis 2 exceeded', 'Limit_Exceeded'],
    ['motor overtemperature', 'Thermal_Overload'],
    ['loss is nan', 'Numerical_Instability'],
    ['CUDA out of memory', 'Memory_Exhaustion'],
    ['read timed out', 'Communication_Timeout'],
    ['SyntaxError: unexpected token', 'Compile_Error'],
    ['the output oscillates', 'Oscillation_Divergence'],
    ['RuntimeError: undocumented quirk in controller stage', 'Unknown_Error'],
  ])('%s is %s', (log, label) => expect(symptomOf(log)).toBe(label));

  it('finds what stands at the beginning and at the end of a long log, in time in proportion to it', () => {
    const filler = 'x '.repeat(5_000_000);
    expect(symptomOf(`collision\n${filler}`)).toBe('Collision_Detected');
    expect(symptomOf(`${filler}\ncollision`)).toBe('Collision_Detected');
  });
});
