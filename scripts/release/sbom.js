// What a release consists of, as CycloneDX 1.6. Not by `npm sbom`: that refuses a tree without development dependencies, does
// not know what Vite packed into dist/, nor of Node, and writes another time and number each time.

const { createHash } = require('node:crypto');

/** `parts`: [{name, version, license, integrity?, sha256?, type?, purl?}]. */
const sbomText = ({ name, version, epochSeconds, parts }) => {
  const components = parts
    .map(component)
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : a['bom-ref'] > b['bom-ref'] ? 1 : 0));
  const root = component({ name, version, license: 'MIT', type: 'application' });
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, components]))}`,
    version: 1,
    metadata: { timestamp: new Date(epochSeconds * 1_000).toISOString(), component: root },
    components,
    dependencies: [
      { ref: root['bom-ref'], dependsOn: [...new Set(components.map(each => each['bom-ref']))] },
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
};

const component = ({ name, version, license, integrity, sha256, type = 'library', purl }) => {
  const reference = purl ?? `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const hashes = [
    ...(integrity === undefined ? [] : [sha512Of(integrity)]),
    ...(sha256 === undefined ? [] : [{ alg: 'SHA-256', content: sha256 }]),
  ];
  return {
    type,
    'bom-ref': reference,
    name,
    version,
    purl: reference,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    ...(hashes.length === 0 ? {} : { hashes }),
  };
};

/** CycloneDX has one field for a single SPDX id and another for an expression of several. */
const licenseOf = license =>
  / (AND|OR) /.test(license) ? { expression: license } : { license: { id: license } };

const sha512Of = integrity => ({
  alg: 'SHA-512',
  content: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex'),
});

/** Version 8 of RFC 9562: of the content, so that the same release has the same number. */
const uuidOf = text => {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

module.exports = { sbomText };
