import { createRequire } from 'node:module';
import type { FastifySchemaCompiler } from 'fastify';
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js';
import { reasonOf } from '../platform/errors.ts';

type CompileValidator = FastifySchemaCompiler<unknown>;
type CompileSerializer = (route: Partial<FastifyRouteSchemaDef<unknown>>) => (data: unknown) => string;

const require = createRequire(import.meta.url);
const ajvOptions = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: true,
  useDefaults: true,
  // Validating the schemas themselves would take a twelfth of the start time.
  validateSchema: false,
  meta: false,
};
// Loading Ajv takes longer than compiling most schemas, so it is loaded when it is first needed.
let loadedValidatorCompiler: CompileValidator | undefined;
let loadedSerializerCompiler: CompileSerializer | undefined;
const compileValidator: CompileValidator = (route) => {
  loadedValidatorCompiler ??= require('@fastify/ajv-compiler')()({}, { customOptions: ajvOptions }) as CompileValidator;
  return loadedValidatorCompiler(route);
};
const compileSerializer: CompileSerializer = (route) => {
  loadedSerializerCompiler ??= require('@fastify/fast-json-stringify-compiler')()({}, {}) as CompileSerializer;
  return loadedSerializerCompiler(route);
};

/** For the schemas of a declaration in this file: an invalid schema fails the start, and the message names the place. */
export const eagerCompilers = (file: string) => ({
  validatorCompiler: namingPlace(file, compileValidator),
  serializerCompiler: namingPlace(file, compileSerializer),
});

const namingPlace =
  <R extends Partial<FastifyRouteSchemaDef<unknown>>, C>(file: string, compile: (route: R) => C) =>
  (route: R): C => {
    try {
      return compile(route);
    } catch (error) {
      const { method, url, httpPart = 'response' } = route;
      const part = httpPart === 'querystring' ? 'query' : httpPart;
      // For a GET, Fastify passes GET and HEAD.
      throw new Error(`${file}: ${[method].flat()[0]} ${url}: ${part}: ${reasonOf(error)}`);
    }
  };

/** Compiles the service's own schemas at the first request of their route. Compiling all of them would take a fifth of the start time. */
export const lazyCompilers = {
  // Fastify passes the route, although its type names only the schema.
  buildValidator: () => compileValidatorLater as never,
  buildSerializer: () => compileSerializerLater,
};

const compileValidatorLater: CompileValidator = (route) => {
  let compiled: ReturnType<CompileValidator> | undefined;
  const validate: ReturnType<CompileValidator> = (data) => {
    compiled ??= compileValidator(route);
    const result = compiled(data);
    // Fastify reads Ajv's errors from the function that it called.
    validate.errors = compiled.errors ?? null;
    return result;
  };
  return validate;
};

const compileSerializerLater: CompileSerializer = (route) => {
  let compiled: ReturnType<CompileSerializer> | undefined;
  return (data) => {
    compiled ??= compileSerializer(route);
    return compiled(data);
  };
};
