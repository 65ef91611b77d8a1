// The kernel that reads device memory once, as source for the driver's compiler. Each thread keeps four loads of 16
// bytes in flight, neighbours read neighbouring bytes, and nothing stays in a cache (.cs). Each thread writes the
// exclusive or of all its words, so the host can verify that every byte was read. Assembled with ptxas 13.0.88 for
// sm_75 to sm_121: 28 to 32 registers, nothing spilled.

export const READ_KERNEL = 'plimsoll_read';

export const READ_THREADS_PER_BLOCK = 256;

/** The bytes read must be a multiple of this, which the threads of one block read at a time. */
export const READ_UNIT_BYTES: number = 4 * 16 * READ_THREADS_PER_BLOCK;

/** Arguments: where each thread writes its 4 bytes, the memory to read, its length in bytes. */
export const READ_KERNEL_PTX = `.version 6.0
.target sm_50
.address_size 64
.visible .entry plimsoll_read(.param .u64 out, .param .u64 source, .param .u64 bytes)
{
  .reg .pred p;
  .reg .b32 t, g, d, q, x, v<16>;
  .reg .b64 o, s, e, i, w, st, s1, s2, s3;
  ld.param.u64 o, [out];
  ld.param.u64 s, [source];
  ld.param.u64 e, [bytes];
  mov.u32 t, %tid.x;
  mov.u32 g, %ctaid.x;
  mov.u32 d, %ntid.x;
  mov.u32 q, %nctaid.x;
  mul.wide.u32 i, g, d;
  shl.b64 i, i, 2;
  cvt.u64.u32 w, t;
  add.u64 i, i, w;
  shl.b64 i, i, 4;
  mul.wide.u32 st, q, d;
  shl.b64 st, st, 6;
  mul.wide.u32 w, d, 16;
  add.u64 e, s, e;
  add.u64 s, s, i;
  mov.u32 x, 0;
LOOP:
  setp.ge.u64 p, s, e;
  @p bra DONE;
  add.u64 s1, s, w;
  add.u64 s2, s1, w;
  add.u64 s3, s2, w;
  ld.global.cs.v4.u32 {v0, v1, v2, v3}, [s];
  ld.global.cs.v4.u32 {v4, v5, v6, v7}, [s1];
  ld.global.cs.v4.u32 {v8, v9, v10, v11}, [s2];
  ld.global.cs.v4.u32 {v12, v13, v14, v15}, [s3];
  xor.b32 v0, v0, v1;
  xor.b32 v2, v2, v3;
  xor.b32 v4, v4, v5;
  xor.b32 v6, v6, v7;
  xor.b32 v8, v8, v9;
  xor.b32 v10, v10, v11;
  xor.b32 v12, v12, v13;
  xor.b32 v14, v14, v15;
  xor.b32 v0, v0, v2;
  xor.b32 v4, v4, v6;
  xor.b32 v8, v8, v10;
  xor.b32 v12, v12, v14;
  xor.b32 v0, v0, v4;
  xor.b32 v8, v8, v12;
  xor.b32 v0, v0, v8;
  xor.b32 x, x, v0;
  add.u64 s, s, st;
  bra LOOP;
DONE:
  mad.lo.u32 t, g, d, t;
  mul.wide.u32 w, t, 4;
  add.u64 o, o, w;
  st.global.u32 [o], x;
  ret;
}
`;
