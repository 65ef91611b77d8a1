// The Helm chart: its documents agree with its values, and it renders what Kubernetes takes. Rendering needs helm (in PATH or
// PLIMSOLL_HELM), validating kubernetes-validate (in PATH or PLIMSOLL_KUBERNETES_VALIDATE).

import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseAgentCode } from '../../src/bench/agent/tls/agent-code.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { chartValues } from '../support/chart-values.ts';
import { textOf } from '../support/repository.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { listenOn } from '../support/tls-nodes.ts';

const CHART = 'deploy/helm/plimsoll';
const values = chartValues(textOf(`${CHART}/values.yaml`));
const TEMPLATES = readdirSync(join(repositoryRoot, CHART, 'templates'));
const HELM = process.env['PLIMSOLL_HELM'] ?? 'helm';
const VALIDATE = process.env['PLIMSOLL_KUBERNETES_VALIDATE'] ?? 'kubernetes-validate';

const SETTINGS = [
  {
    name: 'as it is',
    given: [],
    has: [
      'kind: DaemonSet',
      'path: /healthz',
      'path: /readyz',
      'hostNetwork: true',
      'runAsNonRoot: true',
      'mountPath: /host/proc\n              readOnly: true',
    ],
    hasNot: [
      'kind: ClusterRole',
      'IPC_LOCK',
      'kind: Secret\n',
      'ServiceMonitor',
      'NetworkPolicy',
      'StatefulSet',
    ],
  },
  {
    name: 'with a key, labels of machines, RDMA and GPUs of a runtime class',
    given: [
      'cluster.key=k',
      'kubernetes.readNodeLabels=true',
      'rdma.enabled=true',
      'gpu.runtimeClassName=nvidia',
    ],
    has: [
      '--cluster-key-file=/etc/plimsoll/cluster/cluster-key',
      'verbs: [get]',
      'resources: [nodes]',
      'add: [IPC_LOCK]',
      'runtimeClassName: nvidia',
      'automountServiceAccountToken: true',
    ],
    hasNot: ['verbs: [get,', 'kind: Role\n'],
  },
  {
    name: 'on the network of its pods, without folders of the machine',
    given: ['hostNetwork=false', 'hostFiles=false', 'state.kind=emptyDir', 'networkPolicy.enabled=true'],
    has: ['kind: NetworkPolicy', 'hostNetwork: false', 'emptyDir: {}'],
    hasNot: ['hostPath:', 'runAsUser: 0', 'host: 127.0.0.1'],
  },
  {
    name: 'with metrics for a Prometheus',
    given: [
      'cluster.existingSecret=mine',
      'metrics.serviceMonitor.enabled=true',
      'metrics.serviceMonitor.labels.release=prometheus',
    ],
    has: [
      'kind: ServiceMonitor',
      'name: mine\n          key: token',
      'listen = "[::]:4180"',
      'release: prometheus',
    ],
    hasNot: ['kind: Secret\n'],
  },
  {
    name: 'with a NATS server of its own',
    given: [
      'cluster.key=k',
      'nats.enabled=true',
      'nats.configSecret=server',
      'fleet.credentialsSecret=nodes',
    ],
    has: [
      'kind: StatefulSet',
      'servers = ["tls://plimsoll-nats.default.svc:4222"]',
      'secretName: nodes',
      'credentials = "fleet.nkey"',
    ],
    hasNot: [],
  },
  {
    name: 'with NATS servers that exist',
    given: ['cluster.key=k', 'fleet.servers={tls://a:4222,tls://b:4222}', 'fleet.credentialsSecret=nodes'],
    has: ['servers = ["tls://a:4222","tls://b:4222"]'],
    hasNot: ['StatefulSet'],
  },
  {
    name: 'with a benchmark from two nodes',
    given: [
      'cluster.key=k',
      'bench.enabled=true',
      'bench.target=http://llm:8000',
      'bench.from={atlas,boreas}',
    ],
    has: [
      'kind: Job',
      '- "atlas,boreas"',
      'targets = ["http://llm:8000"]',
      'agent = true',
      'backoffLimit: 0',
    ],
    hasNot: [],
  },
  {
    name: 'with agents',
    given: ['agents.count=3', 'agents.targets={http://llm:8000,http://other:8000}'],
    has: [
      'replicas: 3',
      'clusterIP: None',
      '--code-file=/etc/plimsoll/agent/code',
      '- "--target=http://other:8000"',
      'secretName: plimsoll-agents',
      'defaultMode: 0440',
    ],
    hasNot: ['lookup'],
  },
  {
    name: 'with agents that have a code of yours',
    given: ['agents.count=1', 'agents.targets={http://llm:8000}', 'agents.codeSecret=mine'],
    has: ['secretName: mine'],
    hasNot: ['kind: Secret\n'],
  },
] as const;

const WITH_SETTINGS = [
  'settings.probes.enabled=false',
  'settings.bench.rate_max=50',
  'settings.tags={a,b}',
  'cluster.key=k',
  'fleet.servers={tls://a:4222}',
  'fleet.credentialsSecret=nodes',
  'fleet.hasAuthority=true',
  'bench.enabled=true',
  'bench.target=http://llm:8000',
  'bench.from={atlas}',
];

describe('the values of the chart', () => {
  test('stand in its README, each with its default and what it means', () => {
    const rows = values.map(({ path, text, meaning }) => `| \`${path}\` | \`${text}\` | ${meaning} |`);
    const table = textOf(`${CHART}/README.md`)
      .split('\n')
      .filter(line => /^\| `[A-Za-z.]+` \| `.*` \| /.test(line));
    expect(table).toEqual(rows);
    expect(values.filter(({ meaning }) => meaning === '')).toEqual([]);
  });

  test('are all known to its schema, which refuses others', () => {
    const schema: Schema = JSON.parse(textOf(`${CHART}/values.schema.json`));
    const { known, open } = pathsOf(schema, '');
    expect(known.filter(path => path !== 'global').toSorted()).toEqual(
      values.map(({ path }) => path).toSorted(),
    );
    expect(open).toEqual([]);
  });

  test('are each used by a template', () => {
    const templates = TEMPLATES.map(name => textOf(`${CHART}/templates/${name}`)).join('\n');
    const unused = values.filter(({ path }) => !templates.includes(`.Values.${path}`));
    expect(unused.map(({ path }) => path)).toEqual([]);
  });

  test('and the chart has the version of the package', () => {
    const { version } = JSON.parse(textOf('package.json'));
    expect(textOf(`${CHART}/Chart.yaml`)).toContain(`\nversion: ${version}\nappVersion: "${version}"\n`);
  });
});

describe('the chart, rendered', () => {
  test.for(SETTINGS)(
    '$name: Kubernetes takes it, and it asks for no more than it must',
    ({ given, has, hasNot }, context) => {
      const { yaml, error } = render(given) ?? context.skip(`no ${HELM} here`);
      expect(error).toBe('');
      for (const text of has) expect(yaml).toContain(text);
      for (const text of hasNot) expect(yaml).not.toContain(text);
      expect(yaml).not.toMatch(/privileged: true|hostPID: true|hostIPC: true|allowPrivilegeEscalation: true/);
      expect(refusedIn(yaml)).toBe('');
    },
  );

  test('writes a config.toml that the daemon reads', context => {
    const { yaml } = render(WITH_SETTINGS) ?? context.skip(`no ${HELM} here`);
    const written = /config\.toml: \|\n((?: {4}.*\n|\n)+)/.exec(yaml)?.[1]?.replaceAll(/^ {4}/gm, '') ?? '';
    const parsed = parseConfig(written, 'config.toml');
    expect(parsed).toMatchObject({
      kind: 'ok',
      config: { tags: ['a', 'b'], probes: { isEnabled: false }, fleet: { servers: ['tls://a:4222'] } },
    });
  });

  test('makes agents a code that they take, and another each time', context => {
    const codes = [1, 2].map(() => {
      const { yaml } =
        render(['agents.count=1', 'agents.targets={http://llm:8000}']) ?? context.skip(`no ${HELM} here`);
      return Buffer.from(/^ {2}code: (\S+)$/m.exec(yaml)?.[1] ?? '', 'base64').toString();
    });
    for (const code of codes) expect(parseAgentCode(code)).toMatchObject({ kind: 'ok' });
    expect(codes[0]).not.toBe(codes[1]);
  });

  test('keeps the code of its agents over an upgrade, as a cluster holds it', async context => {
    if (spawnSync(HELM, ['version']).error !== undefined) context.skip(`no ${HELM} here`);
    const existing = Buffer.from('7QKFM2XW9TBD0C4HVN8S3JYRE6GA').toString('base64');
    for (const code of [undefined, existing]) {
      await using cluster = await storedSecret('plimsoll-agents', code);
      const { stdout } = await promisify(execFile)(HELM, [
        ...['template', 'plimsoll', join(repositoryRoot, CHART), '--dry-run=server', '--kube-apiserver'],
        ...[cluster.url, '--kube-version', '1.33.0'],
        ...['--set', 'agents.count=1', '--set', 'agents.targets={http://llm:8000}'],
      ]);
      expect(cluster.requested).toContain('/api/v1/namespaces/default/secrets/plimsoll-agents');
      const written = /^ {2}code: (\S+)$/m.exec(stdout)?.[1] ?? '';
      expect(parseAgentCode(Buffer.from(written, 'base64').toString())).toMatchObject({ kind: 'ok' });
      expect(written === existing).toBe(code === existing);
    }
  });

  test('refuses a value that it does not know, and a ServiceMonitor without a token', context => {
    const strange = render(['typo=1']) ?? context.skip(`no ${HELM} here`);
    expect(strange.error).toContain('typo');
    expect(render(['metrics.serviceMonitor.enabled=true'])?.error).toContain('needs a token');
  });
});

describe('the image', () => {
  test('starts from nothing, as a user that is not root', () => {
    const containerfile = textOf('deploy/container/Containerfile');
    expect(containerfile.match(/^FROM .*$/gm)).toEqual(['FROM scratch']);
    expect(containerfile).toMatch(/^USER 65532:65532$/m);
    expect(containerfile).not.toMatch(/^RUN /m);
  });

  test('takes from Debian nothing that builds, and no shell', () => {
    const packages = textOf('deploy/container/packages').match(/^(?:base|rdma) \S+$/gm) ?? [];
    expect(packages.length).toBeGreaterThan(10);
    expect(
      packages.filter(line => / (?:apt|dpkg|bash|dash|busybox|coreutils|gcc|make|python|perl)/.test(line)),
    ).toEqual([]);
  });

  test.each(['assemble.sh', 'build.sh', 'check.sh'])('%s is a script that bash can read', name => {
    const { status, stderr } = spawnSync('bash', ['-n', join(repositoryRoot, 'deploy/container', name)]);
    expect([status, String(stderr)]).toEqual([0, '']);
  });
});

interface Rendered {
  readonly yaml: string;
  readonly error: string;
}

/** Undefined where there is no helm. */
const render = (given: readonly string[]): Rendered | undefined => {
  const args = given.flatMap(value => ['--set', value]);
  const { error, stdout, stderr, status } = spawnSync(
    HELM,
    ['template', 'plimsoll', join(repositoryRoot, CHART), '--kube-version', '1.33.0', ...args],
    { encoding: 'utf8' },
  );
  return error === undefined ? { yaml: stdout, error: status === 0 ? '' : stderr } : undefined;
};

/** As much of the API of a cluster as helm asks to look a Secret up. */
const storedSecret = async (name: string, code: string | undefined) => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default' },
    data: { code },
  };
  const resource = {
    name: 'secrets',
    singularName: 'secret',
    namespaced: true,
    kind: 'Secret',
    verbs: ['get'],
  };
  const answers: Readonly<Record<string, object>> = {
    '/version': { major: '1', minor: '33', gitVersion: 'v1.33.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [resource] },
    ...(code === undefined ? {} : { [`/api/v1/namespaces/default/secrets/${name}`]: secret }),
  };
  const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    requested.push(path);
    response.writeHead(path in answers ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[path] ?? missing));
  });
  const port = await listenOn(server);
  return {
    requested,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** What Kubernetes' own schemas refuse; '' also if no tool is there to check it. */
const refusedIn = (yaml: string): string => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'rendered.yaml');
  writeFileSync(file, yaml);
  const { error, status, stdout, stderr } = spawnSync(VALIDATE, ['--strict', '--quiet', '--no-warn', file], {
    encoding: 'utf8',
  });
  return error !== undefined || status === 0 ? '' : `${stdout}${stderr}`;
};

interface Schema {
  readonly type: string;
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const pathsOf = (
  { type, properties, additionalProperties }: Schema,
  path: string,
): { readonly known: readonly string[]; readonly open: readonly string[] } => {
  if (type !== 'object' || properties === undefined) return { known: [path], open: [] };
  const inner = Object.entries(properties).map(([name, schema]) =>
    pathsOf(schema, path === '' ? name : `${path}.${name}`),
  );
  return {
    known: inner.flatMap(({ known }) => known),
    open: [...(additionalProperties === false ? [] : [path]), ...inner.flatMap(({ open }) => open)],
  };
};
