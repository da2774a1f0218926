import { describe, expect, it } from 'vitest';
import { PageUnreadable, StatusPages } from '../../../src/collect/status/pages.ts';
import { fakeClock } from '../../support/fake_clock.ts';

function pagesOf(body: string) {
  const { clock, advance } = fakeClock();
  const asked: string[] = [];
  const ask = async ({ url }: { readonly url: string | URL }) => {
    asked.push(String(url));
    return { status: 200, body: Buffer.from(body) };
  };
  const pages = new StatusPages(clock, ask as unknown as ConstructorParameters<typeof StatusPages>[1]);
  return { pages, advance, asked };
}

describe('a status page', () => {
  it('is fetched once for all who ask within 400 ms, and anew after that', async () => {
    const { pages, advance, asked } = pagesOf('{"a":1}');
    const first = pages.get('http://one', 'json');
    await advance(399);
    expect(pages.get('http://one', 'json')).toBe(first);
    await advance(1);
    expect(pages.get('http://one', 'json')).not.toBe(first);
    expect(asked).toEqual(['http://one', 'http://one']);
  });

  it('is another one at another address', async () => {
    const { pages, asked } = pagesOf('{}');
    await Promise.all([pages.get('http://one', 'json'), pages.get('http://two', 'json')]);
    expect(asked).toEqual(['http://one', 'http://two']);
  });

  it('is read as JSON, as XML whose values stay texts, or left as text', async () => {
    expect(await pagesOf('{"a":1}').pages.get('u', 'json')).toEqual({ a: 1 });
    expect(await pagesOf('<a><b>1</b></a>').pages.get('u', 'xml')).toEqual({ a: { b: '1' } });
    expect(await pagesOf('a 1').pages.get('u', 'text')).toBe('a 1');
  });

  it.each([' - ', '-', '', '.5', '22.', '007', '+1'])(
    'is read though Icecast leaves the title %j bare',
    async (title) => {
      const source = `{"listeners":3,"bitrate": -1.5,"title":${title},"dummy":null}`;
      const page = await pagesOf(`{"icestats":{"source":[${source},{"title":${title}}]}}`).pages.get('u', 'json');
      const [first, second] = [{ listeners: 3, bitrate: -1.5, title: null, dummy: null }, { title: null }];
      expect(page).toEqual({ icestats: { source: [first, second] } });
    },
  );

  it('is read of an Icecast that has just been started', async () => {
    const text = '{"icestats":"server_start":"Sat, 03 Oct 2020 15:45:30 +0200","dummy":null}}';
    expect(await pagesOf(text).pages.get('u', 'json')).toMatchObject({ icestats: { dummy: null } });
  });

  it('is unreadable where something else answered', async () => {
    await expect(pagesOf('<html>').pages.get('u', 'json')).rejects.toThrow(PageUnreadable);
    await expect(pagesOf('<html>').pages.get('u', 'json')).rejects.toThrow('expected JSON: ');
  });
});
