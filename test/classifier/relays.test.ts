import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) =>
  classifyExcerpt(
    lines.map((line, at) => `[2026-11-27  15:30:${40 + at}] INFO ${line}`),
    catalogue,
  ).symptom;

const relayed = 'slave/start_relay_stream Starting relayed source at mountpoint "/live.mp3"';
const ended = (mount: string) => `source/get_next_buffer End of Stream ${mount}`;
const exited = (mount: string) => `source/source_shutdown Source from 192.0.2.7 at "${mount}" exiting`;

describe('a mount of icecast that ends', () => {
  it('is lost by its master where the server relays it', () => {
    expect(symptomOf(relayed, ended('/live.mp3'), exited('/live.mp3'))).toBe('upstream_unreachable');
  });

  it('is lost by its publisher where it is another one', () => {
    expect(symptomOf(ended('/live.mp3'), exited('/live.mp3'))).toBe('publisher_lost');
    expect(symptomOf(relayed, ended('/live.mp3.old'), exited('/live.mp3.old'))).toBe('publisher_lost');
  });
});
