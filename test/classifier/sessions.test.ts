import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;
const said = (session: string, text: string) => `[11/27/2026, 9:00:00 AM] [INFO] session ${session} ${text}`;
const RESET = 'failed: read ECONNRESET';

describe('a session that a log names', () => {
  it("is a viewer's where it plays: what breaks it off is no outage", () => {
    expect(symptomOf(said('x7k2', 'start play /live/ch1'), said('x7k2', RESET))).toBe('client_disconnect_benign');
    expect(symptomOf(said('x7k2', 'is reading ch1'), said('x7k2', RESET))).toBe('client_disconnect_benign');
  });

  it('is none where it feeds, or where nothing says what it is for', () => {
    expect(symptomOf(said('x7k2', 'start push /live/ch1'), said('x7k2', RESET))).toBe('upstream_unreachable');
    expect(symptomOf(said('x7k2', 'start play of source ch1'), said('x7k2', RESET))).toBe('upstream_unreachable');
    expect(symptomOf(said('x7k2', RESET))).toBe('upstream_unreachable');
    expect(symptomOf(said('x7k2', 'subscribed to events'), said('x7k2', RESET))).toBe('upstream_unreachable');
  });

  it('is not named by an address, which many share', () => {
    const plays = said('192.0.2.7', 'start play /live/ch1');
    expect(symptomOf(plays, said('192.0.2.4', RESET))).toBe('upstream_unreachable');
  });

  it('says nothing of another session, nor of what is wrong with the machine', () => {
    const plays = said('x7k2', 'start play /live/ch1');
    expect(symptomOf(plays, said('q4m9', RESET))).toBe('upstream_unreachable');
    expect(symptomOf(plays, said('x7k2', 'write failed: No space left on device'))).toBe('disk_full');
  });
});
