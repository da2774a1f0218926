import { describe, expect, it } from 'vitest';
import { isRotatedName } from '../../../src/collect/tail/generations.ts';

describe('a rotated name', () => {
  it.each([
    ['app.log.1', 'app.log'],
    ['app.log.12', 'app.log'],
    ['app.log-20260101', 'app.log'],
    ['app.log-20260101-1767225600', 'app.log'],
    ['app.log.2026-01-01_00-00', 'app.log'],
    ['app.log.old', 'app.log'],
    ['app-20260101.log', 'app.log'],
    ['app.1.log', 'app.log'],
    ['app_2026-01-01_00.log', 'app.log'],
    ['news.err.1', 'news.err'],
    ['log.1', 'log'],
  ])('%s is an earlier generation of %s', (name, base) => {
    expect(isRotatedName(name, base)).toBe(true);
  });

  it.each([
    ['app.log', 'app.log'],
    ['app.log.1.gz', 'app.log'],
    ['app.log.bak2', 'app.log'],
    ['app2.log', 'app.log'],
    ['app.log.conf', 'app.log'],
    ['gen10.err', 'gen1.err'],
    ['news-2.log', 'news.log'],
    ['cam_12.log', 'cam.log'],
    ['other.log.1', 'app.log'],
    ['app.log.swp', 'app.log'],
  ])('%s is none of %s', (name, base) => {
    expect(isRotatedName(name, base)).toBe(false);
  });
});
