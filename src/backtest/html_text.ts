/** Recorded text as text of an HTML page. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of others as text: nothing in it can become markup, and control characters are shown as a dot. */
export const escaped = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '·')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
