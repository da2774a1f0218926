/** XML-RPC, as far as supervisord speaks it. */
import { ReeveError } from '../../core/errors.ts';

export type XmlRpcValue =
  | string
  | number
  | boolean
  | null
  | readonly XmlRpcValue[]
  | { readonly [name: string]: XmlRpcValue };

/** The peer understood the call and said no. */
export class XmlRpcFault extends ReeveError {
  readonly faultCode: number;

  constructor(faultCode: number, faultString: string) {
    super('ENGINE_REFUSED', `fault ${faultCode}: ${faultString.slice(0, 200)}`);
    this.name = 'XmlRpcFault';
    this.faultCode = faultCode;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeXml = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPES[sign]!);

type Param = string | number | boolean;

function encodeParam(param: Param): string {
  if (typeof param === 'boolean') return `<boolean>${param ? 1 : 0}</boolean>`;
  return typeof param === 'number' ? `<int>${Math.trunc(param)}</int>` : `<string>${escapeXml(param)}</string>`;
}

/** The body of an XML-RPC call (xmlrpc.com/spec). Numbers are sent as whole ones. */
export function encodeCall(method: string, params: readonly Param[]): string {
  const list = params.map((param) => `<param><value>${encodeParam(param)}</value></param>`).join('');
  const call = `<methodName>${escapeXml(method)}</methodName><params>${list}</params>`;
  return `<?xml version="1.0"?><methodCall>${call}</methodCall>`;
}

const DEPTH_MAX = 16;
const TAG_LENGTH_MAX = 64;

/**
 * The value of an XML-RPC answer. Throws `XmlRpcFault` for a fault and ENGINE_ANSWER_INVALID for anything else.
 * It reads the few tags that XML-RPC has and knows no attributes, document types or entities of its own: there is
 * nothing to blow up, and a list of 200 processes takes a twentieth of the time that a general parser needs.
 */
export function decodeResponse(xml: string): XmlRpcValue {
  const cursor = new Cursor(xml);
  cursor.expect('methodResponse');
  const kind = cursor.tag();
  if (kind === 'fault') throw faultOf(decodeMember(cursor, 0));
  if (kind !== 'params') throw invalid(`<${kind}> is no answer`);
  cursor.expect('param');
  const value = decodeMember(cursor, 0);
  for (const tag of ['/param', '/params', '/methodResponse']) cursor.expect(tag);
  return value;
}

function faultOf(value: XmlRpcValue): ReeveError {
  const { faultCode, faultString } = (value ?? {}) as Readonly<Record<string, XmlRpcValue>>;
  return typeof faultCode === 'number'
    ? new XmlRpcFault(faultCode, String(faultString))
    : invalid('its fault has no code');
}

const invalid = (because: string) =>
  new ReeveError('ENGINE_ANSWER_INVALID', `expected an XML-RPC answer, but ${because.slice(0, 100)}`);

/** Walks from tag to tag. */
class Cursor {
  readonly #xml: string;
  #at: number;

  constructor(xml: string) {
    this.#xml = xml;
    this.#at = /^\s*<\?xml[^>]*\?>/.exec(xml)?.[0].length ?? 0;
  }

  /** Everything up to the next tag, as it was meant. */
  text(): string {
    const end = this.#xml.indexOf('<', this.#at);
    if (end === -1) throw invalid('it ends too early');
    const text = this.#xml.slice(this.#at, end);
    this.#at = end;
    return text.includes('&') ? unescapeXml(text) : text;
  }

  /** What stands in the next tag, for example `value`, `/value` or `nil/`. Only white space may stand before it. */
  tag(): string {
    if (this.text().trim() !== '') throw invalid('there is text between its tags');
    const end = this.#xml.indexOf('>', this.#at);
    if (end === -1 || end - this.#at > TAG_LENGTH_MAX) throw invalid('a tag does not end');
    const tag = this.#xml.slice(this.#at + 1, end);
    this.#at = end + 1;
    return tag;
  }

  expect(tag: string): void {
    const found = this.tag();
    if (found !== tag) throw invalid(`<${found}> stands where <${tag}> was due`);
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return ENTITIES[name]!;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** One `<value>` with its tags. */
function decodeMember(cursor: Cursor, depth: number): XmlRpcValue {
  const tag = cursor.tag();
  if (tag === 'value/') return '';
  if (tag !== 'value') throw invalid(`<${tag}> stands where <value> was due`);
  return decodeValue(cursor, depth);
}

/** What stands between `<value>` and `</value>`; text without a type is a string. */
function decodeValue(cursor: Cursor, depth: number): XmlRpcValue {
  if (depth > DEPTH_MAX) throw invalid(`it is nested deeper than ${DEPTH_MAX}`);
  const text = cursor.text();
  const type = cursor.tag();
  if (type === '/value') return text;
  if (text.trim() !== '') throw invalid('a value has text beside its type');
  const value = decodeTyped(cursor, type, depth);
  cursor.expect('/value');
  return value;
}

function decodeTyped(cursor: Cursor, type: string, depth: number): XmlRpcValue {
  if (type === 'array') return decodeArray(cursor, depth);
  if (type === 'struct') return decodeStruct(cursor, depth);
  if (type === 'nil/') return null;
  if (type === 'string/') return '';
  const content = cursor.text();
  cursor.expect(`/${type}`);
  return decodeScalar(type, content);
}

function decodeArray(cursor: Cursor, depth: number): XmlRpcValue {
  const items: XmlRpcValue[] = [];
  const data = cursor.tag();
  if (data !== 'data' && data !== 'data/') throw invalid('an array has no data');
  for (let tag = data; tag !== 'data/'; ) {
    tag = cursor.tag();
    if (tag === '/data') break;
    if (tag !== 'value' && tag !== 'value/') throw invalid(`<${tag}> stands in an array`);
    items.push(tag === 'value/' ? '' : decodeValue(cursor, depth + 1));
  }
  cursor.expect('/array');
  return items;
}

function decodeStruct(cursor: Cursor, depth: number): XmlRpcValue {
  const members: [string, XmlRpcValue][] = [];
  for (let tag = cursor.tag(); tag !== '/struct'; tag = cursor.tag()) {
    if (tag !== 'member') throw invalid(`<${tag}> stands in a struct`);
    cursor.expect('name');
    const name = cursor.text();
    cursor.expect('/name');
    members.push([name, decodeMember(cursor, depth + 1)]);
    cursor.expect('/member');
  }
  return Object.fromEntries(members);
}

function decodeScalar(type: string, text: string): XmlRpcValue {
  switch (type) {
    case 'string':
    case 'base64':
    case 'dateTime.iso8601':
      return text;
    case 'boolean':
      if (text !== '0' && text !== '1') throw invalid(`${text.slice(0, 20)} is no boolean`);
      return text === '1';
    case 'int':
    case 'i4':
    case 'i8':
    case 'double': {
      const number = Number(text);
      if (text.trim() === '' || !Number.isFinite(number)) throw invalid(`${text.slice(0, 20)} is no number`);
      return number;
    }
    case 'nil':
      return null;
    default:
      throw invalid(`<${type.slice(0, 20)}> is no type`);
  }
}
