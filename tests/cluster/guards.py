"""An etcd that asks who calls, and certificates between all processes."""

import subprocess

from world import Load, World, expect, until


class Guards:
    """Keys of an authority, an etcd and a cluster; and what each is told of them."""

    def __init__(self, folder):
        self.folder = folder
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                      "-nodes", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key",
                      "-out", "ca.pem")
        self.issue("etcd", "IP:127.0.0.1")
        self.issue("cluster", "DNS:fairshot")
        (folder / "password").write_text("a-password-for-the-tests\n")
        self.etcd_flags = ["--cert-file", folder / "etcd.pem", "--key-file", folder / "etcd.key",
                           "--trusted-ca-file", folder / "ca.pem", "--client-cert-auth"]
        shown = [folder / "cluster.pem", folder / "cluster.key"]
        self.etcdctl_flags = ["--cacert", folder / "ca.pem", "--cert", shown[0], "--key", shown[1]]
        self.flags = [
            "--cluster-etcd-ca-file", folder / "ca.pem", "--cluster-etcd-cert-file", shown[0],
            "--cluster-etcd-key-file", shown[1], "--cluster-etcd-user", "fairshot",
            "--cluster-etcd-password-file", folder / "password",
            "--cluster-tls-cert-file", shown[0], "--cluster-tls-key-file", shown[1],
            "--cluster-tls-ca-file", folder / "ca.pem", "--cluster-tls-name", "fairshot",
        ]

    def issue(self, name, alternative):
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={alternative}\nextendedKeyUsage=serverAuth,clientAuth\n")
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                      "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
                      "-out", f"{name}.csr")
        self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                      "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", f"{name}.pem")

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


def guard_everything(options):
    """etcd with users and TLS, its tokens lost by a restart; certificates between processes"""
    with World(options, "guarded", idle_s=10, guards=Guards) as world:
        for words in (("user", "add", "root:root"), ("user", "grant-role", "root", "root"),
                      ("user", "add", "fairshot:a-password-for-the-tests"), ("role", "add", "fairshot"),
                      ("role", "grant-permission", "fairshot", "--prefix=true", "readwrite", "/fairshot/"),
                      ("user", "grant-role", "fairshot", "fairshot"), ("auth", "enable")):
            expect(world.etcdctl(*words) is not None, f"etcdctl {' '.join(words)}")
        expect(world.etcdctl("get", "--prefix", "/fairshot/") is None, "etcd asks who calls")
        world.guards.etcdctl_flags += ["--user", "root:root"]
        world.stand()
        load = Load(world, "--play", "--joins", 12, "--rate", 20, "--linger", 20)
        until(lambda: load.count("playing") >= 12, "everybody plays", 30)
        world.one_owner_each()
        # What the node answers in plain text, and to a caller without a certificate: nothing.
        control = world.nodes[0].control
        plain = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{control}", "-CAfile",
                                world.folder / "ca.pem", "-servername", "fairshot", "-verify_return_error",
                                "-quiet"],
                               input=b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", capture_output=True, timeout=10,
                               check=False)
        expect(b"certificate required" in plain.stderr, "a caller without a certificate is let in")
        before = world.ticks(world.nodes[0])
        world.etcd.kill()
        world.start_etcd()
        until(lambda: Load(world, "--joins", 1).figures()["seated"] == 1, "joins work again", 20)
        world.tick_on(before)
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return "nothing; the calls that etcd refused for their tokens were made again with new ones"
