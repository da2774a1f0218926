import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { decodeResponse, encodeCall, XmlRpcFault } from '../../../src/engine/supervisor/xmlrpc.ts';

const answer = (value: string) =>
  `<?xml version='1.0'?>\n<methodResponse>\n<params>\n<param>\n<value>${value}</value>\n</param>\n</params>\n</methodResponse>\n`;

describe('decodeResponse', () => {
  it('reads every type that supervisord sends', () => {
    expect(decodeResponse(answer('<string>a &lt; b &amp; c</string>'))).toBe('a < b & c');
    expect(decodeResponse(answer('untyped'))).toBe('untyped');
    expect(decodeResponse(answer('<string></string>'))).toBe('');
    expect(decodeResponse(answer('<int>-1</int>'))).toBe(-1);
    expect(decodeResponse(answer('<boolean>1</boolean>'))).toBe(true);
    expect(decodeResponse(answer('<double>0.5</double>'))).toBe(0.5);
    expect(decodeResponse(answer('<array><data>\n</data></array>'))).toEqual([]);
    const nested =
      '<array><data><value><struct><member><name>pid</name><value><int>7</int></value></member></struct></value></data></array>';
    expect(decodeResponse(answer(nested))).toEqual([{ pid: 7 }]);
  });

  it('keeps names that mean something to JavaScript as plain members', () => {
    const struct = '<struct><member><name>constructor</name><value>x</value></member></struct>';
    const value = decodeResponse(answer(struct)) as Record<string, unknown>;
    expect(Object.hasOwn(value, 'constructor')).toBe(true);
  });

  it('converts a fault to a refusal with its code', () => {
    const fault =
      '<methodResponse><fault><value><struct><member><name>faultCode</name><value><int>10</int></value></member>' +
      '<member><name>faultString</name><value><string>BAD_NAME: x</string></value></member></struct></value></fault></methodResponse>';
    expect(() => decodeResponse(fault)).toThrow(XmlRpcFault);
    expect(() => decodeResponse(fault)).toThrow('fault 10: BAD_NAME: x');
  });

  it.each([
    ['nothing', ''],
    ['text', 'no xml at all'],
    ['HTML', '<html><body>nginx</body></html>'],
    ['an unclosed tag', '<methodResponse><params>'],
    ['no value', '<methodResponse><params></params></methodResponse>'],
    ['two types in one value', answer('<int>1</int><string>x</string>')],
    ['a number that is none', answer('<int>seven</int>')],
    ['an empty number', answer('<int></int>')],
    ['a boolean that is none', answer('<boolean>yes</boolean>')],
    ['an unknown type', answer('<pickle>x</pickle>')],
    ['a fault that is nothing', '<methodResponse><fault><value><nil/></value></fault></methodResponse>'],
    ['attributes', '<methodResponse x="1"><params></params></methodResponse>'],
    ['a fault without a code', '<methodResponse><fault><value>boo</value></fault></methodResponse>'],
    ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${answer('&a;')}`],
    ['nesting without end', answer('<array><data><value>'.repeat(50) + '</value></data></array>'.repeat(50))],
  ])('refuses %s', (_, xml) => {
    expect(() => decodeResponse(xml)).toThrow(expect.objectContaining({ code: 'ENGINE_ANSWER_INVALID' }));
  });

  test.prop([fc.string({ maxLength: 200 })])('answers any text with a value or a typed error', (xml) => {
    try {
      decodeResponse(xml);
    } catch (error) {
      expect(error).toHaveProperty('code');
    }
  });
});

describe('any value', () => {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const written = (value: unknown): string => {
    if (value === null) return '<value><nil/></value>';
    if (typeof value === 'string') return `<value><string>${escaped(value)}</string></value>`;
    if (typeof value === 'number') return `<value>\n<double>${value}</double></value>`;
    if (typeof value === 'boolean') return `<value><boolean>${value ? 1 : 0}</boolean>\n</value>`;
    if (Array.isArray(value)) return `<value><array><data>\n${value.map(written).join('\n')}</data></array></value>`;
    const members = Object.entries(value as object).map(
      ([name, member]) => `<member><name>${escaped(name)}</name>\n${written(member)}</member>`,
    );
    return `<value><struct>\n${members.join('')}</struct></value>`;
  };
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  test.prop([value])('is read as it was written', (any) => {
    const xml = `<?xml version='1.0'?><methodResponse><params><param>${written(any)}</param></params></methodResponse>`;
    expect(decodeResponse(xml)).toEqual(any);
  });

  test.prop([value, fc.nat(), fc.string({ minLength: 1, maxLength: 3 })])(
    'damaged anywhere is a value or a typed error',
    (any, at, damage) => {
      const xml = answer('x').replace('<value>x</value>', () => written(any));
      const place = at % xml.length;
      try {
        decodeResponse(xml.slice(0, place) + damage + xml.slice(place + damage.length));
      } catch (error) {
        expect(['ENGINE_ANSWER_INVALID', 'ENGINE_REFUSED']).toContain((error as { code: string }).code);
      }
    },
  );
});

describe('encodeCall', () => {
  it('escapes what a name may carry and writes each type', () => {
    expect(encodeCall('m', ['a<&>b', 0, true, false])).toContain(
      '<param><value><string>a&lt;&amp;&gt;b</string></value></param><param><value><int>0</int></value></param>' +
        '<param><value><boolean>1</boolean></value></param><param><value><boolean>0</boolean></value></param>',
    );
  });

  test.prop([fc.string().filter((text) => !/[\r\0]/.test(text))])('carries any text there and back', (text) => {
    const sent = /<string>([\s\S]*)<\/string>/.exec(encodeCall('m', [text]))![1];
    expect(decodeResponse(answer(`<string>${sent}</string>`))).toBe(text);
  });
});
