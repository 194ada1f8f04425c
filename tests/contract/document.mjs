// The OpenAPI document as a judge of real answers. Answers may grow members within v1, so the document leaves their
// objects open; the judge closes them, because here an undescribed member is a mistake.
import {Validator} from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  if (copy.type === 'object' && copy.properties && typeof copy.properties === 'object' && !('additionalProperties' in copy))
    copy.additionalProperties = false;
  return copy;
}

export class Document {
  constructor(told) {
    this.told = told;
    this.ajv = new Ajv2020({strict: true, strictTypes: false, strictRequired: false, allErrors: true});
    addFormats(this.ajv);
    this.ajv.addVocabulary(['x-status', 'components']);
    const components = told.components.schemas;
    this.ajv.addSchema({$id: 'open', components: {schemas: components}}, 'open', undefined, false);
    this.ajv.addSchema({$id: 'closed', components: {schemas: closed(components)}}, 'closed', undefined, false);
    this.compiled = new Map();
    this.operations = new Map();
    for (const [path, item] of Object.entries(told.paths))
      for (const method of methods.filter(word => item[word]))
        this.operations.set(item[method].operationId, {
          path, method: method.toUpperCase(), told: item[method],
          parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(p => this.resolved(p)),
          forOperators: 'operator_key' in ((item[method].security ?? [])[0] ?? {}),
          needsKey: (item[method].security ?? told.security).length > 0,
        });
  }
  // What an independent reader says of it.
  static async faults(told) {
    const {valid, errors} = await new Validator().validate(structuredClone(told));
    return valid ? [] : [JSON.stringify(errors)];
  }
  resolved(given) {
    if (!given?.$ref) return given;
    return given.$ref.slice(2).split('/').reduce((at, name) => at[name], this.told);
  }
  validator(schema, base) {
    const text = JSON.stringify(base === 'closed' ? closed(schema) : schema).replaceAll('"#/', `"${base}#/`);
    if (!this.compiled.has(text)) this.compiled.set(text, this.ajv.compile(JSON.parse(text)));
    return this.compiled.get(text);
  }
  // What is wrong with an answer, in words; empty: nothing.
  objections(operation, status, headers, text) {
    const responses = operation.told.responses;
    const told = this.resolved(responses[status] ?? responses.default);
    const found = [];
    for (const [name, given] of Object.entries(told.headers ?? {})) {
      const header = this.resolved(given), value = headers.get(name);
      if (value === null) {
        if (header.required) found.push(`header ${name} is absent`);
      } else if (!this.validator(header.schema, 'open')(value)) found.push(`header ${name}: ${value}`);
    }
    if (!told.content) {
      if (text !== '') found.push('a body that is not described');
      return found;
    }
    const type = (headers.get('content-type') ?? '').split(';')[0];
    const content = told.content[type];
    if (!content) return [...found, `content type ${type}`];
    let body = text;
    if (type.endsWith('json')) try { body = JSON.parse(text); } catch { return [...found, 'not JSON']; }
    const judge = this.validator(content.schema, 'closed');
    if (!judge(body)) found.push(...judge.errors.map(e => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`));
    if (body.request_id && body.request_id !== headers.get('x-request-id')) found.push('request_id is not X-Request-Id');
    return found;
  }
  // Whether a body of a request is one that the document allows.
  allows(operation, body) {
    return this.validator(operation.told.requestBody.content['application/json'].schema, 'open')(body);
  }
}
