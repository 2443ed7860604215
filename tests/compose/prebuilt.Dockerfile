# The last stage of deploy/Dockerfile around programs that are built already; the context is a folder
# with them in `bin`, and the files that stage copies.
ARG RUNTIME_IMAGE
FROM ${RUNTIME_IMAGE}
COPY bin/ /usr/local/bin/
COPY ready /usr/local/bin/fairshot-ready
COPY modes/ /etc/fairshot/modes/
USER 10001:10001
VOLUME /var/lib/fairshot
STOPSIGNAL SIGTERM
CMD ["fairshot"]
