import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './gate/caching.ts';

type Encoding = 'br' | 'gzip';

const compress: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** Browsers request Brotli only over https. */
const encodingFor = ({ headers }: FastifyRequest): Encoding | undefined => {
  const accepted = headers['accept-encoding'] ?? '';
  return (['br', 'gzip'] as const).find((encoding) =>
    new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?![.\\d]*[1-9]))`).test(accepted),
  );
};

/** Content that is sent often and never changes. It is compressed at the first request and cached. */
export class CompressedContent {
  readonly #type: string;
  readonly #content: Buffer;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(type: string, content: string | Buffer) {
    this.#type = type;
    this.#content = Buffer.from(content);
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    addVary(reply.type(this.#type), 'accept-encoding');
    const encoding = encodingFor(request);
    if (encoding === undefined) return reply.send(this.#content);
    const compressed = this.#compressed.get(encoding) ?? compress[encoding](this.#content);
    this.#compressed.set(encoding, compressed);
    return reply.header('content-encoding', encoding).send(await compressed);
  }
}
