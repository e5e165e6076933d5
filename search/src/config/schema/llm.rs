//! Sections of `model_type: llm`: read and checked, refused when run.

use super::columns::PROMPT;
use super::trainer::{FINETUNE, ZERO_SHOT};
use super::types::{
    AMOUNT, BOOL, COUNT, FLOAT, Key, Names, OPT_SIZE, OPT_TEXT, POSITIVE, SHARE, SIZE, Section,
    TEXT, Type, Union, key, optional, required, variant,
};

static POSTPROCESSOR: Section = Section::of(&[&[
    key(
        "merge_adapter_into_base_model",
        BOOL,
        "false",
        "Whether the adapter is merged into the model.",
    ),
    key("progressbar", BOOL, "false", "Whether progress is shown."),
]]);
const ADAPTER_KEYS: &[Key] = &[
    key(
        "pretrained_adapter_weights",
        OPT_TEXT,
        "null",
        "Weights to begin from.",
    ),
    key(
        "postprocessor",
        Type::Section(&POSTPROCESSOR),
        "{}",
        "What happens after training.",
    ),
];
const LORA: &[Key] = &[
    key("r", SIZE, "8", "Rank of the updates."),
    key(
        "alpha",
        OPT_SIZE,
        "null",
        "Scale of the updates; null: 2 r.",
    ),
    key("dropout", SHARE, "0.05", "Dropout on the updates."),
    key(
        "target_modules",
        Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
        "null",
        "Layers that are updated.",
    ),
    key(
        "use_rslora",
        BOOL,
        "false",
        "Whether the scale goes by the root of r.",
    ),
    key(
        "use_dora",
        BOOL,
        "false",
        "Whether size and direction are parted.",
    ),
    key(
        "bias_type",
        Type::OneOf(&Names::of(&["none", "all", "lora_only"])),
        "\"none\"",
        "Biases that are trained.",
    ),
];
static ADAPTER: Union = Union {
    tag: "type",
    default: None,
    noun: "adapter",
    doc: "Small trainable layers beside frozen ones.",
    variants: &[
        variant("lora", &[LORA, ADAPTER_KEYS]),
        variant(
            "adalora",
            &[
                LORA,
                ADAPTER_KEYS,
                &[
                    key("target_r", SIZE, "8", "Rank at the end."),
                    key("init_r", SIZE, "12", "Rank at the beginning."),
                    key("tinit", COUNT, "0", "Steps before ranks shrink."),
                    key("tfinal", COUNT, "0", "Steps after ranks have shrunk."),
                    key("delta_t", SIZE, "1", "Steps between cuts."),
                    key("beta1", SHARE, "0.85", "Memory of the sensitivity."),
                    key("beta2", SHARE, "0.85", "Memory of the uncertainty."),
                    key(
                        "orth_reg_weight",
                        AMOUNT,
                        "0.5",
                        "Weight of the orthogonality penalty.",
                    ),
                    key("total_step", OPT_SIZE, "null", "Steps in all."),
                    key(
                        "rank_pattern",
                        Type::Nullable(&Type::AnyMap),
                        "null",
                        "Rank of each layer.",
                    ),
                ],
            ],
        ),
        variant(
            "ia3",
            &[
                ADAPTER_KEYS,
                &[
                    key(
                        "target_modules",
                        Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
                        "null",
                        "Layers that are scaled.",
                    ),
                    key(
                        "feedforward_modules",
                        Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
                        "null",
                        "Layers whose input is scaled.",
                    ),
                    key(
                        "fan_in_fan_out",
                        BOOL,
                        "false",
                        "Whether weights are stored transposed.",
                    ),
                    key(
                        "modules_to_save",
                        Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
                        "null",
                        "Layers trained in full.",
                    ),
                    key(
                        "init_ia3_weights",
                        BOOL,
                        "true",
                        "Whether scales begin at 1.",
                    ),
                ],
            ],
        ),
        variant(
            "adaption_prompt",
            &[
                ADAPTER_KEYS,
                &[
                    key("adapter_len", SIZE, "4", "Words of the prompt."),
                    key("adapter_layers", SIZE, "1", "Layers that see it."),
                ],
            ],
        ),
    ],
};
static QUANTIZATION: Section = Section::of(&[&[
    key(
        "bits",
        Type::Int { min: 4, max: 8 },
        "4",
        "Bits of a weight: 4 or 8.",
    ),
    key(
        "llm_int8_threshold",
        AMOUNT,
        "6.0",
        "Size from which values stay in 16 bits.",
    ),
    key(
        "llm_int8_has_fp16_weight",
        BOOL,
        "false",
        "Whether weights stay in 16 bits.",
    ),
    key(
        "bnb_4bit_compute_dtype",
        Type::OneOf(&Names::of(&["float32", "float16", "bfloat16"])),
        "\"float16\"",
        "Type that is computed in.",
    ),
    key(
        "bnb_4bit_use_double_quant",
        BOOL,
        "true",
        "Whether scales are quantised too.",
    ),
    key(
        "bnb_4bit_quant_type",
        Type::OneOf(&Names::of(&["fp4", "nf4"])),
        "\"nf4\"",
        "Code of 4 bits.",
    ),
]]);
const ROPE: Type = Type::OneOf(&Names::of(&["linear", "dynamic"]));
static ROPE_SCALING: Section = Section::of(&[&[
    optional("type", ROPE, "How positions are stretched."),
    optional("rope_type", ROPE, "How positions are stretched.").since("0.11"),
    optional(
        "factor",
        Type::Float {
            min: 1.0,
            max: f64::MAX,
            open: true,
        },
        "By how much.",
    ),
]]);
const SCALING: Type = Type::Nullable(&Type::Section(&ROPE_SCALING));
static MODEL_PARAMETERS: Section = Section::of(&[&[
    key(
        "rope_scaling",
        SCALING,
        "null",
        "Stretching of positions, for longer texts.",
    ),
    key(
        "neftune_noise_alpha",
        Type::Nullable(&AMOUNT),
        "0",
        "Noise on embeddings.",
    ),
]]);
const IDS: Type = Type::Nullable(&Type::Either(&[COUNT, Type::List { of: &COUNT, min: 0 }]));
static GENERATION: Section = Section::of(&[&[
    key("max_new_tokens", SIZE, "32", "Most words of an answer."),
    key("temperature", AMOUNT, "0.1", "More is more surprising."),
    key("top_k", COUNT, "50", "Words that are considered."),
    key(
        "top_p",
        SHARE,
        "1.0",
        "Share of probability that is considered.",
    ),
    key(
        "typical_p",
        SHARE,
        "1.0",
        "Share of typical words that is considered.",
    ),
    key(
        "epsilon_cutoff",
        SHARE,
        "0.0",
        "Least probability that is considered.",
    ),
    key("eta_cutoff", SHARE, "0.0", "Least probability, by entropy."),
    key(
        "diversity_penalty",
        AMOUNT,
        "0.0",
        "Penalty on words of other groups.",
    ),
    key("do_sample", BOOL, "true", "Whether words are drawn."),
    key("num_beams", SIZE, "1", "Beams."),
    key("num_beam_groups", SIZE, "1", "Groups of beams."),
    key(
        "penalty_alpha",
        Type::Nullable(&AMOUNT),
        "null",
        "Penalty of contrastive search.",
    ),
    key(
        "early_stopping",
        BOOL,
        "false",
        "Whether beams stop at the first answers.",
    ),
    key(
        "max_time",
        Type::Nullable(&POSITIVE),
        "null",
        "Seconds of an answer.",
    ),
    key("max_length", OPT_SIZE, "32", "Most words, prompt included."),
    key("min_length", COUNT, "0", "Least words, prompt included."),
    key(
        "min_new_tokens",
        Type::Nullable(&COUNT),
        "null",
        "Least words of an answer.",
    ),
    key(
        "repetition_penalty",
        AMOUNT,
        "1.0",
        "Penalty on repeated words.",
    ),
    key(
        "encoder_repetition_penalty",
        AMOUNT,
        "1.0",
        "Penalty on words that are not in the prompt.",
    ),
    key(
        "length_penalty",
        FLOAT,
        "1.0",
        "Exponent of the length of beams.",
    ),
    key(
        "no_repeat_ngram_size",
        COUNT,
        "0",
        "Runs of words that may not repeat.",
    ),
    key(
        "bad_words_ids",
        Type::Nullable(&Type::Any),
        "null",
        "Words that may not come.",
    ),
    key(
        "force_words_ids",
        Type::Nullable(&Type::Any),
        "null",
        "Words that must come.",
    ),
    key(
        "renormalize_logits",
        BOOL,
        "false",
        "Whether scores are normalised.",
    ),
    key(
        "remove_invalid_values",
        BOOL,
        "false",
        "Whether infinite scores are removed.",
    ),
    key(
        "exponential_decay_length_penalty",
        Type::Nullable(&Type::Any),
        "null",
        "Growing penalty on length.",
    ),
    key("suppress_tokens", IDS, "null", "Words that are suppressed."),
    key(
        "begin_suppress_tokens",
        IDS,
        "null",
        "Words suppressed at the beginning.",
    ),
    key("forced_bos_token_id", IDS, "null", "First word."),
    key("forced_eos_token_id", IDS, "null", "Last word."),
    key(
        "forced_decoder_ids",
        Type::Nullable(&Type::Any),
        "null",
        "Words at places.",
    ),
    key("pad_token_id", IDS, "null", "Word of padding."),
    key("bos_token_id", IDS, "null", "Word of the beginning."),
    key("eos_token_id", IDS, "null", "Word of the end."),
    key("use_cache", BOOL, "true", "Whether past attention is kept."),
    key(
        "prompt_lookup_num_tokens",
        OPT_SIZE,
        "null",
        "Words guessed from the prompt.",
    ),
    key(
        "guidance_scale",
        Type::Nullable(&FLOAT),
        "null",
        "Weight of the prompt.",
    ),
    key(
        "sequence_bias",
        Type::Nullable(&Type::AnyMap),
        "null",
        "Bias of runs of words.",
    ),
]]);

pub(crate) static LLM_TRAINER: Union = Union {
    tag: "type",
    default: Some("none"),
    noun: "trainer of llm",
    doc: "How the model is trained, if at all.",
    variants: &[
        variant("none", ZERO_SHOT),
        variant("finetune", FINETUNE),
        variant("dpo", FINETUNE).since("0.17"),
        variant("kto", FINETUNE).since("0.17"),
        variant("orpo", FINETUNE).since("0.17"),
        variant("grpo", FINETUNE).since("0.17"),
    ],
};

const ADAPTER_TYPE: Type = Type::Nullable(&Type::Union(&ADAPTER));
const QUANTIZATION_TYPE: Type = Type::Nullable(&Type::Section(&QUANTIZATION));
const PARAMETERS_TYPE: Type = Type::Nullable(&Type::Section(&MODEL_PARAMETERS));
/// Keys of the top level of `model_type: llm`.
pub(crate) const LLM: &[Key] = &[
    required("base_model", TEXT, "Name of the model, or its folder."),
    key(
        "prompt",
        Type::Section(&PROMPT),
        "{}",
        "What the model is asked.",
    ),
    key(
        "generation",
        Type::Section(&GENERATION),
        "{}",
        "How answers are drawn.",
    ),
    key(
        "adapter",
        ADAPTER_TYPE,
        "null",
        "Small trainable layers beside frozen ones.",
    ),
    key(
        "quantization",
        QUANTIZATION_TYPE,
        "null",
        "Weights in few bits.",
    ),
    key(
        "model_parameters",
        PARAMETERS_TYPE,
        "null",
        "Parameters of the model.",
    ),
    key(
        "trust_remote_code",
        BOOL,
        "false",
        "Whether code of the model may run.",
    )
    .inert(),
];
