/** A node of an ASN.1 value, BER-encoded with definite lengths. */
export class DerNode {
  readonly tag: number;
  readonly content: Buffer;

  constructor(tag: number, content: Buffer) {
    this.tag = tag;
    this.content = content;
  }

  get isConstructed(): boolean {
    return (this.tag & 0x20) !== 0;
  }

  get isSet(): boolean {
    return this.tag === 0x31;
  }

  get children(): readonly DerNode[] {
    const nodes: DerNode[] = [];
    for (let rest = this.content; rest.length > 0; ) {
      const { node, length } = readNode(rest);
      nodes.push(node);
      rest = rest.subarray(length);
    }
    return nodes;
  }

  getChild(index: number): DerNode {
    const node = this.children[index];
    if (!node) throw new Error('Could not parse the PKCS7: not enough data');
    return node;
  }

  /** Returns the object identifier in dotted notation. */
  readOid(): string {
    const [first = 0, ...rest] = this.content;
    const arcs = [Math.floor(first / 40), first % 40];
    // The first two arcs share one number. The second arc takes the rest above 2.39.
    if (first >= 80) arcs.splice(0, 2, 2, first - 80);
    let arc = 0;
    for (const byte of rest) {
      arc = arc * 128 + (byte & 0x7f);
      if ((byte & 0x80) !== 0) continue;
      arcs.push(arc);
      arc = 0;
    }
    return arcs.join('.');
  }
}

export function parseDer(bytes: Buffer): DerNode {
  return readNode(bytes).node;
}

function readNode(bytes: Buffer): { readonly node: DerNode; readonly length: number } {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined) throw new Error('Could not parse the PKCS7: not enough data');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const size = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (start + size > bytes.length) throw new Error('Could not parse the PKCS7: too long');
  return { node: new DerNode(tag, bytes.subarray(start, start + size)), length: start + size };
}
