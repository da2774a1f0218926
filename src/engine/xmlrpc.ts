import { XMLParser } from 'fast-xml-parser';
import { ReeveError } from '../core/errors.ts';

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

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'value' || name === 'member' || name === 'param',
});

const DEPTH_MAX = 16;

/** The value of an XML-RPC answer. Throws `XmlRpcFault` for a fault and ENGINE_ANSWER_INVALID for anything else. */
export function decodeResponse(xml: string): XmlRpcValue {
  // An answer has no use for a document type, and entities that it may define are a way to blow up.
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw invalid('it declares a document type');
  const response = childOf(parsed(xml), 'methodResponse');
  const fault = memberOf(response, 'fault');
  if (fault !== undefined) throw faultOf(decodeOne(childOf(fault, 'value')));
  const [param] = listOf(childOf(childOf(response, 'params'), 'param'));
  return decodeOne(childOf(param, 'value'));
}

function faultOf(value: XmlRpcValue): ReeveError {
  const code = memberOf(value, 'faultCode');
  return typeof code === 'number'
    ? new XmlRpcFault(code, String(memberOf(value, 'faultString')))
    : invalid('its fault has no code');
}

function parsed(xml: string): unknown {
  try {
    return parser.parse(xml, true);
  } catch (cause) {
    throw invalid('it is no XML', cause);
  }
}

const invalid = (because: string, cause?: unknown) =>
  new ReeveError('ENGINE_ANSWER_INVALID', `expected an XML-RPC answer, but ${because}`, { cause });

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (node: unknown, name: string): unknown => (isNode(node) ? node[name] : undefined);

function childOf(node: unknown, name: string): unknown {
  const child = memberOf(node, name);
  if (child === undefined) throw invalid(`<${name}> is missing`);
  return child;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function decodeOne(values: unknown, depth = 0): XmlRpcValue {
  const list = listOf(values);
  if (list.length !== 1) throw invalid(`one <value> was due, not ${list.length}`);
  return decodeValue(list[0], depth);
}

function decodeValue(node: unknown, depth: number): XmlRpcValue {
  if (depth > DEPTH_MAX) throw invalid(`it is nested deeper than ${DEPTH_MAX}`);
  if (typeof node === 'string') return node;
  const [type, ...more] = isNode(node) ? Object.keys(node).filter((name) => name !== '#text') : [];
  if (!isNode(node) || type === undefined || more.length > 0) throw invalid('a <value> has not exactly one type');
  const content = node[type];
  if (type === 'array') return decodeArray(content, depth);
  return type === 'struct' ? decodeStruct(content, depth) : decodeScalar(type, String(content));
}

function decodeArray(content: unknown, depth: number): XmlRpcValue {
  const items = listOf(memberOf(memberOf(content, 'data'), 'value'));
  return items.map((item) => decodeValue(item, depth + 1));
}

function decodeStruct(content: unknown, depth: number): XmlRpcValue {
  const members = listOf(memberOf(content, 'member'));
  return Object.fromEntries(
    members.map((member) => [String(childOf(member, 'name')), decodeOne(childOf(member, 'value'), depth + 1)]),
  );
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
