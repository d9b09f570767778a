/** The fields of a message in protobuf's wire format, by number: integers, and the bytes of other values. */
type Message = Map<number, (bigint | Buffer)[]>;

function readMessage(bytes: Buffer): Message {
  const fields: Message = new Map();
  let at = 0;
  const varint = () => {
    for (let [value, shift] = [0n, 0n]; ; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const readers = new Map<number, () => bigint | Buffer>([
    [0, varint],
    [1, () => take(8)],
    [2, () => take(Number(varint()))],
    [5, () => take(4)],
  ]);
  while (at < bytes.length) {
    const tag = Number(varint());
    const read = readers.get(tag & 7);
    if (!read) throw new Error(`no protobuf: wire type ${tag & 7}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), read()]);
  }
  return fields;
}

const messages = (of: Message | undefined, field: number) =>
  (of?.get(field) ?? []).map((bytes) => readMessage(bytes as Buffer));
const text = (of: Message, field: number) => of.get(field)?.[0]?.toString() ?? '';
const hex = (of: Message, field: number) => (of.get(field)?.[0] as Buffer | undefined)?.toString('hex');

/** Strings and integers. Other values are ignored. */
const attributes = (of: Message | undefined, field: number) =>
  messages(of, field).map((pair) => {
    const [value] = messages(pair, 2);
    const number = value?.get(3)?.[0];
    return {
      key: text(pair, 1),
      value: number === undefined ? { stringValue: value ? text(value, 1) : '' } : { intValue: Number(number) },
    };
  });

/** Decodes OTLP protobuf to the form of its JSON, for the fields that tests read. */
export const readOtlp = (bytes: Buffer, of: 'traces' | 'metrics') => {
  const all = messages(readMessage(bytes), 1);
  if (of === 'metrics') {
    return {
      resourceMetrics: all.map((one) => ({
        scopeMetrics: messages(one, 2).map((scope) => ({
          metrics: messages(scope, 2).map((metric) => ({ name: text(metric, 1) })),
        })),
      })),
    };
  }
  return {
    resourceSpans: all.map((one) => ({
      resource: { attributes: attributes(messages(one, 1)[0], 1) },
      scopeSpans: messages(one, 2).map((scope) => ({
        spans: messages(scope, 2).map((span) => ({
          traceId: hex(span, 1),
          spanId: hex(span, 2),
          parentSpanId: hex(span, 4),
          name: text(span, 5),
          attributes: attributes(span, 9),
        })),
      })),
    })),
  };
};
