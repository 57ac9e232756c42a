/** A zip with one text file that is stored as it is: what AstrBot takes as a skill. */
export function zipOf(path: string, text: string): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(path);
  const body = new TextEncoder().encode(text);
  const sum = crc32(body);
  // Version 2.0, names in UTF-8 (bit 11), stored, 1 January 1980; then the sum, both sizes and the length of the name.
  const facts = (view: DataView, at: number) => {
    view.setUint16(at, 20, true);
    view.setUint16(at + 2, 0x0800, true);
    view.setUint32(at + 6, 0x00210000, true);
    view.setUint32(at + 10, sum, true);
    view.setUint32(at + 14, body.length, true);
    view.setUint32(at + 18, body.length, true);
    view.setUint16(at + 22, name.length, true);
  };
  const out = new Uint8Array(30 + name.length + body.length + 46 + name.length + 22);
  const view = new DataView(out.buffer);
  view.setUint32(0, 0x04034b50, true);
  facts(view, 4);
  out.set(name, 30);
  out.set(body, 30 + name.length);
  const central = 30 + name.length + body.length;
  view.setUint32(central, 0x02014b50, true);
  view.setUint16(central + 4, 20, true);
  facts(view, central + 6);
  out.set(name, central + 46);
  const end = central + 46 + name.length;
  view.setUint32(end, 0x06054b50, true);
  view.setUint16(end + 8, 1, true);
  view.setUint16(end + 10, 1, true);
  view.setUint32(end + 12, end - central, true);
  view.setUint32(end + 16, central, true);
  return out;
}

function crc32(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
