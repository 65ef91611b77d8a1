// What two machines run to measure the link between them: a few lines of Perl or Python, whichever each has, given to the interpreter as
// an argument. Perl first: every Mac has it, while its python3 may open a dialog. One end listens and serves phases, the other connects
// for each; a connection begins with a token, so no stranger is served. Bytes are counted where they arrive.

export type ProbeLanguage = 'perl' | 'python3';

export const PROBE_LANGUAGES: readonly ProbeLanguage[] = ['perl', 'python3'];

/** Arguments: address, token. It prints "port N", then "upload BYTES SECONDS". */
export const listenWords = (language: ProbeLanguage, address: string, token: string): readonly string[] => [
  language,
  EXECUTE[language],
  oneLine(PROGRAMS[language].listen),
  address,
  token,
];

/** Arguments: port, token, addresses. It prints "by ADDRESS", "round NS …" and "download BYTES SECONDS", or "refused REASONS". */
export const connectWords = (
  language: ProbeLanguage,
  {
    addresses,
    port,
    token,
  }: { readonly addresses: readonly string[]; readonly port: number; readonly token: string },
): readonly string[] => [
  language,
  EXECUTE[language],
  oneLine(PROGRAMS[language].connect),
  String(port),
  token,
  ...addresses,
];

/** As a sentence, for the method of a profile. */
export const PROBE_METHOD =
  '100 round trips of 64 bytes, then one TCP stream each way for 1 s, without its first 0.3 s';

const EXECUTE: Readonly<Record<ProbeLanguage, string>> = { perl: '-e', python3: '-c' };

/** A request has words of one line. Python's lines are a text that it executes. */
const oneLine = (program: string): string =>
  program.startsWith('import ') ? `exec(${JSON.stringify(program)})` : program.replaceAll('\n', ' ');

const PERL_COMMON = `use strict; use Socket qw(:all); use Time::HiRes qw(time);
$| = 1; $SIG{PIPE} = "IGNORE"; alarm 12;
sub address { my ($e, $r) = getaddrinfo($_[0], $_[1], { flags => AI_NUMERICHOST, socktype => SOCK_STREAM });
  die "no address $_[0]\\n" if $e || !$r; return $r; }
sub give { my ($s) = @_; my $d = "p" x 262144; my $end = time + 1;
  while (time < $end) { last unless syswrite($s, $d); } shutdown($s, 1); }
sub take { my ($s, $what) = @_; my ($first, $from, $last, $bytes) = (0, 0, 0, 0); my $d;
  while (my $n = sysread($s, $d, 1048576)) { my $now = time;
    if (!$first) { $first = $from = $last = $now; next; }
    $bytes += $n; $last = $now;
    if ($from == $first && $now - $first > 0.3) { $from = $now; $bytes = 0; }
    last if $now - $first > 3; }
  printf "%s %d %.9f\\n", $what, $bytes, $last - $from; }
sub whole { my ($s, $length) = @_; my $d = "";
  while (length($d) < $length) { my $n = sysread($s, $d, $length - length($d), length($d)); return unless $n; } return $d; }`;

const PYTHON_COMMON = `import socket, sys, time, signal
signal.alarm(12)
def out(text):
    sys.stdout.write(text + "\\n"); sys.stdout.flush()
def give(s):
    d = b"p" * 262144; end = time.monotonic() + 1
    try:
        while time.monotonic() < end: s.sendall(d)
        s.shutdown(socket.SHUT_WR)
    except OSError: pass
def take(s, what):
    first = start = last = 0; count = 0; d = bytearray(1048576)
    while True:
        try: n = s.recv_into(d)
        except OSError: break
        if not n: break
        now = time.monotonic()
        if not first:
            first = start = last = now
            continue
        count += n; last = now
        if start == first and now - first > 0.3:
            start = now; count = 0
        if now - first > 3: break
    out("%s %d %.9f" % (what, count, last - start))
def whole(s, length):
    d = b""
    while len(d) < length:
        n = s.recv(length - len(d))
        if not n: return None
        d += n
    return d
`;

/** Phases: "e" echoes messages of 64 bytes, "u" counts what comes, "d" sends, "q" ends. */
const PROGRAMS: Readonly<Record<ProbeLanguage, { readonly listen: string; readonly connect: string }>> = {
  perl: {
    listen: `${PERL_COMMON}
my ($host, $token) = @ARGV; my $r = address($host, 0);
socket(my $l, $r->{family}, SOCK_STREAM, 0) or die "$!\\n"; bind($l, $r->{addr}) or die "$!\\n"; listen($l, 4) or die "$!\\n";
my ($e, undef, $port) = getnameinfo(getsockname($l), NI_NUMERICHOST | NI_NUMERICSERV); print "port $port\\n"; alarm 6;
for (1 .. 16) { accept(my $s, $l) or die "$!\\n"; alarm 12; setsockopt($s, IPPROTO_TCP, TCP_NODELAY, 1);
  setsockopt($s, SOL_SOCKET, SO_RCVTIMEO, pack("l!l!", 4, 0));
  my $head = whole($s, length($token) + 1); next unless defined $head && substr($head, 1) eq $token;
  my $phase = substr($head, 0, 1);
  if ($phase eq "e") { while (defined(my $d = whole($s, 64))) { last unless syswrite($s, $d); } }
  elsif ($phase eq "u") { take($s, "upload"); }
  elsif ($phase eq "d") { give($s); my $d; sysread($s, $d, 1); }
  else { last; } close($s); }`,
    connect: `${PERL_COMMON}
my ($port, $token, @hosts) = @ARGV; my ($r, $s, @why);
sub dial { my ($phase, $try) = @_; socket(my $s, $r->{family}, SOCK_STREAM, 0) or die "$!\\n";
  my $ok = eval { local $SIG{ALRM} = sub { die "no answer\\n" }; Time::HiRes::alarm(1.5); connect($s, $r->{addr}) or die "$!\\n"; 1; };
  my $why = $@; alarm 12; if (!$ok) { chomp $why; return $why if $try; print "refused $why\\n"; exit 3; }
  setsockopt($s, IPPROTO_TCP, TCP_NODELAY, 1); syswrite($s, $phase . $token); return $s; }
for my $host (@hosts) { $r = address($host, $port); $s = dial("e", 1); if (ref $s) { print "by $host\\n"; last; } push @why, "$host: $s"; $s = undef; }
if (!$s) { print "refused @{[join(', ', @why)]}\\n"; exit 3; }
my @ns; my $d = "r" x 64; my $end = time + 1;
for (1 .. 105) { my $t = time; syswrite($s, $d); last unless defined whole($s, 64); push @ns, int((time - $t) * 1e9); last if time > $end; }
close($s); splice(@ns, 0, 5); print "round @ns\\n";
$s = dial("u"); give($s); my $b; sysread($s, $b, 1); close($s);
$s = dial("d"); take($s, "download"); close($s);
$s = dial("q"); close($s);`,
  },
  python3: {
    listen: `${PYTHON_COMMON}
host, token = sys.argv[1:3]; token = token.encode()
family, kind, proto, _, name = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)[0]
l = socket.socket(family, kind, proto); l.bind(name); l.listen(4); out("port %d" % l.getsockname()[1]); signal.alarm(6)
for _ in range(16):
    s, _ = l.accept(); signal.alarm(12); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); s.settimeout(4)
    try:
        head = whole(s, len(token) + 1)
        if head is None or head[1:] != token: continue
        phase = head[:1]
        if phase == b"e":
            while True:
                d = whole(s, 64)
                if d is None: break
                s.sendall(d)
        elif phase == b"u": take(s, "upload")
        elif phase == b"d":
            give(s); s.recv(1)
        else: break
    except OSError: pass
    finally: s.close()
`,
    connect: `${PYTHON_COMMON}
port, token, hosts = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
def dial(phase, host):
    family, kind, proto, _, name = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)[0]
    s = socket.socket(family, kind, proto); s.settimeout(1.5); s.connect(name)
    s.settimeout(4); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); s.sendall((phase + token).encode()); return s
s = None; why = []
for host in hosts:
    try:
        s = dial("e", host); out("by " + host); break
    except OSError as e: why.append("%s: %s" % (host, e.strerror or "no answer"))
if s is None:
    out("refused " + ", ".join(why)); sys.exit(3)
ns = []; d = b"r" * 64; end = time.monotonic() + 1
for _ in range(105):
    t = time.monotonic(); s.sendall(d)
    if whole(s, 64) is None: break
    ns.append(int((time.monotonic() - t) * 1e9))
    if time.monotonic() > end: break
s.close(); out("round " + " ".join(str(n) for n in ns[5:]))
s = dial("u", host); give(s)
try: s.recv(1)
except OSError: pass
s.close()
s = dial("d", host); take(s, "download"); s.close()
s = dial("q", host); s.close()
`,
  },
};
